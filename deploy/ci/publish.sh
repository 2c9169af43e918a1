#!/usr/bin/env bash
# The last step of action.yml: publishes a release as described by INPUT_*, with SPINDRIFT_URL and SPINDRIFT_TOKEN.
set -euo pipefail

program=${INPUT_SPINDRIFT:-${GITHUB_ACTION_PATH:-.}/target/release/spindrift}
arguments=(--app "$INPUT_APP" --version "$INPUT_VERSION")
if [ -n "${INPUT_PLAN:-}" ]; then
  arguments+=(--plan "$INPUT_PLAN")
else
  arguments+=(--rollout "${INPUT_ROLLOUT:-100}")
fi

for name in channel platform arch changelog-file updater signature-file; do
  variable=INPUT_$(tr 'a-z-' 'A-Z_' <<< "$name")
  [ -z "${!variable:-}" ] || arguments+=("--$name" "${!variable}")
done
for name in publish critical intermediate tuf; do
  variable=INPUT_$(tr 'a-z' 'A-Z' <<< "$name")
  [ "${!variable:-false}" != true ] || arguments+=("--$name")
done

files=()
while IFS= read -r line; do
  # Remove the spaces around it.
  line="${line#"${line%%[![:space:]]*}"}"
  line="${line%"${line##*[![:space:]]}"}"
  [ -z "$line" ] || files+=("$line")
done <<< "$INPUT_FILES"

report=$("$program" publish --json "${arguments[@]}" -- "${files[@]}")
printf '%s\n' "$report"
id=$(sed -n 's/^  "id": "\(.*\)",$/\1/p' <<< "$report")
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'id=%s\n' "$id" >> "$GITHUB_OUTPUT"
