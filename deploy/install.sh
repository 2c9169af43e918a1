#!/bin/sh
# Installs the program `spindrift` of a release for this user, without root:
#
#   sh install.sh [FOLDER]
#
# FOLDER is ~/.local/bin unless named. The archive for this system is downloaded, its SHA-256 compared, and the program put into
# the folder. The script of a release installs that release. Variables:
#
#   SPINDRIFT_VERSION   the version to install, such as 0.1.0
#   SPINDRIFT_BASE_URL  the address of the folder with the archives and their .sha256 files
#                       (https://github.com/OWNER/REPOSITORY/releases/download/vVERSION)
set -eu

version=${SPINDRIFT_VERSION:-@VERSION@}
base=${SPINDRIFT_BASE_URL:-@HOME@/releases/download/v$version}

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

# Releases carry this script with both filled in.
case $version in @*) fail "set SPINDRIFT_VERSION to a release, such as 0.1.0" ;; esac
case $base in @*) fail "set SPINDRIFT_BASE_URL to the address of the folder with the archives" ;; esac

case $(uname -m) in
  x86_64 | amd64) arch=x86_64 ;;
  aarch64 | arm64) arch=aarch64 ;;
  *) fail "there is no archive for the processor $(uname -m); build from source" ;;
esac
program=spindrift
case $(uname -s) in
  Linux) target=$arch-unknown-linux-musl end=tar.gz ;;
  Darwin) target=$arch-apple-darwin end=tar.gz ;;
  # Git Bash. On ARM, Windows runs programs for x86_64.
  MINGW* | MSYS*) target=x86_64-pc-windows-msvc end=zip program=spindrift.exe ;;
  *) fail "there is no archive for $(uname -s); build from source" ;;
esac

if [ -n "${1:-}" ]; then
  folder=$1
elif [ -n "${HOME:-}" ]; then
  folder=$HOME/.local/bin
else
  fail "HOME is not set: name a folder"
fi
if ! mkdir -p "$folder" 2>/dev/null || [ ! -w "$folder" ]; then
  fail "cannot write to $folder: name a folder of your own"
fi

if command -v curl >/dev/null; then
  download() { curl -fsSL --retry 3 -o "$2" "$1"; }
elif command -v wget >/dev/null; then
  download() { wget -q -O "$2" "$1"; }
else
  fail "needs curl or wget"
fi
if command -v sha256sum >/dev/null; then
  digest() { sha256sum "$1"; }
elif command -v shasum >/dev/null; then
  digest() { shasum -a 256 "$1"; }
else
  fail "needs sha256sum or shasum"
fi

name=spindrift-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for file in "$name.$end" "$name.$end.sha256"; do
  download "$base/$file" "$work/$file" || fail "cannot download $base/$file"
done
wanted=$(cut -d ' ' -f 1 "$work/$name.$end.sha256")
found=$(digest "$work/$name.$end" | cut -d ' ' -f 1)
[ -n "$wanted" ] && [ "$wanted" = "$found" ] ||
  fail "$name.$end has the SHA-256 $found in place of $wanted: nothing was installed"

case $end in
  zip) unzip -q "$work/$name.zip" -d "$work" ;;
  *) tar -xzf "$work/$name.tar.gz" -C "$work" ;;
esac
# Renamed into place, so that a program that runs is not written to.
new=$folder/.$program.$$
cp "$work/$name/$program" "$new"
chmod 755 "$new"
mv -f "$new" "$folder/$program"

echo "Installed $folder/$program"
case :$PATH: in
  *":$folder:"*) ;;
  *) echo "Add it to your PATH: export PATH=\"$folder:\$PATH\"" ;;
esac
