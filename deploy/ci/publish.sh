#!/usr/bin/env bash
# The last step of action.yml: uploads or publishes a release as described by INPUT_*, with SPINDRIFT_URL and SPINDRIFT_TOKEN.
set -euo pipefail

program=${INPUT_SPINDRIFT:-${GITHUB_ACTION_PATH:-.}/target/release/spindrift}
arguments=()

# Adds the inputs with these names that are not empty.
add() {
  local name variable
  for name in "$@"; do
    variable=INPUT_$(tr 'a-z-' 'A-Z_' <<< "$name")
    [ -z "${!variable:-}" ] || arguments+=("--$name" "${!variable}")
  done
}

# Adds the inputs with these names that are `true`.
flag() {
  local name variable
  for name in "$@"; do
    variable=INPUT_$(tr 'a-z-' 'A-Z_' <<< "$name")
    [ "${!variable:-false}" != true ] || arguments+=("--$name")
  done
}

refuse() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

# Prints the lines of a text that are not empty, without the spaces around them.
lines() {
  local line
  while IFS= read -r line; do
    line="${line#"${line%%[![:space:]]*}"}"
    line="${line%"${line##*[![:space:]]}"}"
    [ -z "$line" ] || printf '%s\n' "$line"
  done <<< "$1"
}

upload() {
  local line files=()
  arguments=(publish --json --app "$INPUT_APP" --version "$INPUT_VERSION")
  add channel platform arch changelog-file updater signature-file plan guard at patches
  [ -n "${INPUT_PLAN:-}" ] || arguments+=(--rollout "${INPUT_ROLLOUT:-100}")
  flag publish critical intermediate tuf zsync rebuild-block-maps strict dry-run
  while IFS= read -r line; do arguments+=(--arch-of "$line"); done < <(lines "${INPUT_ARCH_OF:-}")
  while IFS= read -r line; do arguments+=(--package "$line"); done < <(lines "${INPUT_PACKAGES:-}")
  while IFS= read -r line; do files+=("$line"); done < <(lines "${INPUT_FILES:-}")
  [ "${#files[@]}" -gt 0 ] || refuse "files is required"
  arguments+=(-- "${files[@]}")
}

release() {
  arguments=(release publish "$INPUT_VERSION" --json --app "$INPUT_APP")
  # Without a plan, a percentage and a guard, those of the draft stay.
  add plan rollout guard at reason
  flag strict
}

case "${INPUT_COMMAND:-publish}" in
  publish) upload ;;
  "release publish") release ;;
  *) refuse "command is \`publish\` or \`release publish\`" ;;
esac

# A run that ends with a receipt and exit code 14 has printed why.
status=0
report=$("$program" "${arguments[@]}") || status=$?
printf '%s\n' "$report"
id=$(sed -n 's/^  "id": "\(.*\)",$/\1/p' <<< "$report")
[ -z "${GITHUB_OUTPUT:-}" ] || printf 'id=%s\n' "$id" >> "$GITHUB_OUTPUT"
exit "$status"
