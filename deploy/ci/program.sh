#!/usr/bin/env bash
# The first step of action.yml: brings the program `spindrift`, and names its path as the output `path`. With a tag such as
# v0.1.0 in REF it installs that release from RELEASES and compares its checksum. With a branch or a commit it builds the
# program, without the service.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
suffix=
[ "${RUNNER_OS:-}" != Windows ] || suffix=.exe

if [[ ${REF:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]]; then
  SPINDRIFT_VERSION=${REF#v} SPINDRIFT_BASE_URL=$RELEASES/$REF sh "$root/deploy/install.sh" "$RUNNER_TEMP/spindrift"
  path=$RUNNER_TEMP/spindrift/spindrift$suffix
else
  (cd "$root" && cargo build --locked --release -p spindrift-cli --no-default-features)
  path=$root/target/release/spindrift$suffix
fi
printf 'path=%s\n' "$path" >> "$GITHUB_OUTPUT"
