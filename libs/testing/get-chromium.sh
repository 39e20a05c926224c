#!/bin/sh
# Prints the path of a Chromium, installing Debian's package if there is none.
#
#   1. $CHROMIUM_BIN: this one or none, 2. chromium, chromium-browser or google-chrome on PATH,
#   3. the chromium package, through THIS machine's own apt; needs root, since a browser wants its libraries.
#
# Several may run at once: one installs, the others wait for it.
set -eu

FIX="install chromium (on Debian: apt-get install chromium) or set CHROMIUM_BIN to the path of one"

log() { printf '%s\n' "get-chromium: $*" >&2; }
die() { log "$*"; exit 1; }
runs() { "$1" --version >/dev/null 2>&1; }

if [ -n "${CHROMIUM_BIN:-}" ]; then
  bin=$(command -v "$CHROMIUM_BIN" || true)
  [ -n "$bin" ] && runs "$bin" || die "CHROMIUM_BIN=$CHROMIUM_BIN is no browser that starts: correct it, or unset it"
  printf '%s\n' "$bin"; exit 0
fi

from_path() {
  for name in chromium chromium-browser google-chrome; do
    bin=$(command -v "$name" || true)
    if [ -n "$bin" ] && runs "$bin"; then printf '%s\n' "$bin"; return 0; fi
  done
  return 1
}

from_path && exit 0
command -v apt-get >/dev/null 2>&1 || die "there is no Chromium here and no apt-get: $FIX"
[ "$(id -u)" = 0 ] || die "there is no Chromium here and only root may install one: $FIX"

exec 9>"${TMPDIR:-/tmp}/get-chromium.lock"
if command -v flock >/dev/null 2>&1; then flock 9; from_path && exit 0; fi

tmp=$(mktemp "${TMPDIR:-/tmp}/get-chromium.XXXXXX")
trap 'rm -f "$tmp"' EXIT
install() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 \
    install --no-install-recommends chromium >"$tmp" 2>&1
}
log "installing chromium"
install || { apt-get -q -o DPkg::Lock::Timeout=300 update >"$tmp" 2>&1 && install; } || {
  sed 's/^/get-chromium:   /' "$tmp" | tail -n 20 >&2
  die "chromium could not be installed: $FIX"
}
from_path || die "chromium is installed and does not start: $FIX"
