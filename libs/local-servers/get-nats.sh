#!/bin/sh
# Prints the path of a nats-server >= NATS_MIN (default 2.12.0), fetching one if needed.
#
#   1. $NATS_SERVER_BIN, 2. the cache folder, 3. nats-server on PATH,
#   4. the nats-server package of a newer Debian suite, fetched with THIS machine's own apt
#      sources (only the suite name is replaced), verified by apt, unpacked, never installed.
#
# Works as root and as an ordinary user; changes nothing outside the cache folder.
# Environment: NATS_SERVER_BIN, NATS_MIN, NATS_SUITES (default "forky sid"), NATS_CACHE_DIR.
set -eu

NATS_MIN=${NATS_MIN:-2.12.0}
NATS_SUITES=${NATS_SUITES:-forky sid}
NATS_CACHE_DIR=${NATS_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/nats-server}

log() { printf '%s\n' "get-nats: $*" >&2; }
die() { log "$*"; exit 1; }
version_of() { "$1" --version 2>/dev/null | sed -n 's/.*v\([0-9][0-9.]*\).*/\1/p'; }
new_enough() { # binary
  v=$(version_of "$1") && [ -n "$v" ] &&
    [ "$(printf '%s\n%s\n' "$NATS_MIN" "$v" | sort -V | head -n 1)" = "$NATS_MIN" ]
}

if [ -n "${NATS_SERVER_BIN:-}" ]; then
  new_enough "$NATS_SERVER_BIN" || die "NATS_SERVER_BIN is not a nats-server >= $NATS_MIN"
  printf '%s\n' "$NATS_SERVER_BIN"; exit 0
fi
cached=$NATS_CACHE_DIR/nats-server
for bin in "$cached" "$(command -v nats-server 2>/dev/null || true)"; do
  if [ -n "$bin" ] && [ -x "$bin" ] && new_enough "$bin"; then printf '%s\n' "$bin"; exit 0; fi
done

for tool in apt-get dpkg-deb awk sort; do
  command -v "$tool" >/dev/null 2>&1 || die "no $tool here: install nats-server >= $NATS_MIN and set NATS_SERVER_BIN"
done
codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
[ -n "$codename" ] || die "no VERSION_CODENAME in /etc/os-release; set NATS_SERVER_BIN"

mkdir -p "$NATS_CACHE_DIR"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/get-nats.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
chmod 755 "$tmp" # apt's unprivileged download user has to reach it when we run as root

# Every enabled entry for this release, with the suite swapped; options and Signed-By stay.
write_sources() { # suite
  rm -rf "$tmp/parts"; mkdir "$tmp/parts"
  for f in /etc/apt/sources.list.d/*.sources; do
    [ -f "$f" ] || continue
    grep -v '^#' "$f" | awk -v code="$codename" -v suite="$1" '
      BEGIN { RS = ""; FS = "\n" }
      {
        keep = 0; off = 0; deb = 0; infield = ""; out = ""
        for (i = 1; i <= NF; i++) {
          line = $i
          if (line !~ /^[ \t]/) { infield = tolower(line); sub(/:.*/, "", infield) }
          if (infield == "suites") {
            n = split(line, w, /[ \t:]+/)
            for (j = 1; j <= n; j++) if (w[j] == code) keep = 1
            if (line !~ /^[ \t]/) out = out "Suites: " suite "\n"
            continue
          }
          if (infield == "enabled" && tolower(line) ~ /no|false|0/) off = 1
          if (infield == "types") { if (line ~ /(^|[ \t:])deb([ \t]|$)/) deb = 1; out = out "Types: deb\n"; continue }
          out = out line "\n"
        }
        if (keep && deb && !off) printf "%s\n", out
      }' >>"$tmp/parts/suite.sources"
  done
  for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$f" ] || continue
    awk -v code="$codename" -v suite="$1" '
      $1 == "deb" {
        i = 2; if ($2 ~ /^\[/) { while ($i !~ /\]$/ && i < NF) i++; i++ }
        if ($(i + 1) == code) { $(i + 1) = suite; print }
      }' "$f" >>"$tmp/parts/suite.list"
  done
  [ -s "$tmp/parts/suite.sources" ] || [ -s "$tmp/parts/suite.list" ]
}

# The machine's apt configuration (proxy, certificates) plus private directories; no update hooks.
cat >"$tmp/apt.conf" <<EOF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Update::Error-Mode "any";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$tmp/parts";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$tmp/state";
Dir::State::status "/dev/null";
Dir::Cache "$tmp/cache";
EOF
apt() { LC_ALL=C apt-get -q -c "$tmp/apt.conf" "$@"; }

for suite in $NATS_SUITES; do
  write_sources "$suite" || die "no apt source for '$codename' found; set NATS_SERVER_BIN"
  rm -rf "$tmp/state" "$tmp/cache" "$tmp/deb" "$tmp/root"
  mkdir -p "$tmp/state/lists/partial" "$tmp/cache/archives/partial" "$tmp/deb"
  if [ "$(id -u)" = 0 ]; then chown -R _apt "$tmp/state/lists" "$tmp/deb" 2>/dev/null || true; fi
  log "reading the package index of $suite"
  if ! apt update >"$tmp/log" 2>&1; then
    if grep -q NO_PUBKEY "$tmp/log"; then
      log "$suite is signed with a key this machine does not have; install a newer debian-archive-keyring"
    fi
    sed 's/^/get-nats:   /' "$tmp/log" | grep -E 'E:|W:' >&2 || true
    continue
  fi
  if ! (cd "$tmp/deb" && apt download nats-server) >"$tmp/log" 2>&1; then
    sed 's/^/get-nats:   /' "$tmp/log" >&2; continue
  fi
  mkdir "$tmp/root"
  dpkg-deb -x "$tmp"/deb/nats-server_*.deb "$tmp/root"
  found=$(find "$tmp/root" -type f -name nats-server -perm -u+x | head -n 1)
  if [ -z "$found" ] || ! new_enough "$found"; then
    log "$suite has nats-server ${v:-unusable here}, need >= $NATS_MIN"; continue
  fi
  cp "$found" "$cached.$$" && chmod 755 "$cached.$$" && mv -f "$cached.$$" "$cached"
  log "nats-server $v from $suite is in $NATS_CACHE_DIR"
  printf '%s\n' "$cached"; exit 0
done
die "no nats-server >= $NATS_MIN in: $NATS_SUITES; set NATS_SERVER_BIN"
