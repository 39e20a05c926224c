#!/bin/sh
# Prints the path of a nats-server >= NATS_MIN (default 2.12.0), fetching one if needed.
#
#   1. $NATS_SERVER_BIN: this one or none, 2. the cache folder, 3. nats-server on PATH,
#   4. the nats-server package of a newer Debian suite, fetched with THIS machine's own apt
#      sources (only the suite name is replaced), verified by apt, unpacked, never installed,
#   5. the official release, checked against the release's own SHA256SUMS.
#
# Works as root and as an ordinary user; changes nothing outside the cache folder. Several may run
# at once: each works in a folder of its own and puts the finished binary in place in one step.
# Environment: NATS_SERVER_BIN, NATS_MIN, NATS_CACHE_DIR, NATS_SUITES (on Debian "forky sid", else
# none; empty for none), NATS_RELEASE (the version to download), NATS_RELEASES_URL (a mirror).
set -eu

NATS_MIN=${NATS_MIN:-2.12.0}
NATS_RELEASE=${NATS_RELEASE:-2.15.1}
NATS_RELEASES_URL=${NATS_RELEASES_URL:-https://github.com/nats-io/nats-server/releases/download}
FIX="install nats-server >= $NATS_MIN and set NATS_SERVER_BIN to its path"

log() { printf '%s\n' "get-nats: $*" >&2; }
die() { log "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
version_of() { "$1" --version 2>/dev/null | sed -n 's/.*v\([0-9][0-9.]*\).*/\1/p'; }
new_enough() { # binary; leaves its version in $v
  v=$(version_of "$1") && [ -n "$v" ] &&
    [ "$(printf '%s\n%s\n' "$NATS_MIN" "$v" | sort -V | head -n 1)" = "$NATS_MIN" ]
}

if [ -n "${NATS_SERVER_BIN:-}" ]; then
  bin=$(command -v "$NATS_SERVER_BIN" || true)
  [ -n "$bin" ] || die "NATS_SERVER_BIN=$NATS_SERVER_BIN is no executable: correct it, or unset it to have one fetched"
  new_enough "$bin" ||
    die "NATS_SERVER_BIN=$NATS_SERVER_BIN is ${v:-no nats-server}, need >= $NATS_MIN: name a newer one, or unset it to have one fetched"
  printf '%s\n' "$bin"; exit 0
fi

if [ -z "${NATS_CACHE_DIR:-}" ]; then
  [ -n "${XDG_CACHE_HOME:-}${HOME:-}" ] || die "neither HOME nor NATS_CACHE_DIR is set: set one of them"
  NATS_CACHE_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/nats-server
fi
cached=$NATS_CACHE_DIR/nats-server
for bin in "$cached" "$(command -v nats-server || true)"; do
  if [ -n "$bin" ] && [ -x "$bin" ] && new_enough "$bin"; then printf '%s\n' "$bin"; exit 0; fi
done

mkdir -p "$NATS_CACHE_DIR" || die "cannot write to $NATS_CACHE_DIR: set NATS_CACHE_DIR to a folder of yours"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/get-nats.XXXXXX")
half=
trap 'rm -rf "$tmp" "$half"' EXIT
trap 'exit 130' INT TERM
chmod 755 "$tmp" # apt's unprivileged download user has to reach it when we run as root

# Whoever looks at the cache sees the whole binary or none.
keep() { # folder to look in, where it came from
  v=
  found=$(find "$1" -type f -name nats-server -perm -u+x | head -n 1)
  if [ -z "$found" ] || ! new_enough "$found"; then
    log "$2 has ${v:-no usable nats-server}, need >= $NATS_MIN"; return 1
  fi
  half=$(mktemp "$cached.XXXXXX") && cp "$found" "$half" && chmod 755 "$half" && mv -f "$half" "$cached" || return 1
  log "nats-server $v from $2 is in $NATS_CACHE_DIR"
  printf '%s\n' "$cached"
}

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

apt() { LC_ALL=C apt-get -q -c "$tmp/apt.conf" "$@"; }

from_apt() {
  id=; codename=
  if [ -r /etc/os-release ]; then
    # shellcheck source=/dev/null
    id=$(. /etc/os-release && printf '%s' "${ID:-}")
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  fi
  if [ "$id" = debian ]; then suites=${NATS_SUITES-forky sid}; else suites=${NATS_SUITES-}; fi
  [ -n "$suites" ] && [ -n "$codename" ] && has apt-get && has dpkg-deb && has awk || return 1

  # The machine's apt configuration (proxy, certificates) plus private directories; no update hooks.
  cat >"$tmp/apt.conf" <<EOF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Update::Error-Mode "any";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "15";
Acquire::https::Timeout "15";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$tmp/parts";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$tmp/state";
Dir::State::status "/dev/null";
Dir::Cache "$tmp/cache";
EOF
  for suite in $suites; do
    write_sources "$suite" || { log "no apt source for '$codename' found"; return 1; }
    rm -rf "$tmp/state" "$tmp/cache" "$tmp/deb" "$tmp/root"
    mkdir -p "$tmp/state/lists/partial" "$tmp/cache/archives/partial" "$tmp/deb" "$tmp/root"
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
    dpkg-deb -x "$tmp"/deb/nats-server_*.deb "$tmp/root" && keep "$tmp/root" "$suite" && return 0
  done
  return 1
}

# A machine without the internet learns so after 5 seconds, not after minutes.
download() { # url, file
  if has curl; then curl -fsSL --connect-timeout 5 --speed-time 15 --speed-limit 1 -o "$2" "$1"
  elif has wget; then wget -q --tries=1 --connect-timeout=5 --dns-timeout=5 --read-timeout=15 -O "$2" "$1"
  else log "neither curl nor wget is here"; return 1; fi
}
sha256_of() { if has sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }

from_release() {
  case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) log "no release for $(uname -s) is known"; return 1 ;; esac
  case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) log "no release for $(uname -m) is known"; return 1 ;;
  esac
  name=nats-server-v$NATS_RELEASE-$os-$arch.tar.gz
  from=$NATS_RELEASES_URL/v$NATS_RELEASE
  log "downloading $name"
  if ! download "$from/SHA256SUMS" "$tmp/sums" 2>"$tmp/log" || ! download "$from/$name" "$tmp/$name" 2>"$tmp/log"; then
    sed 's/^/get-nats:   /' "$tmp/log" >&2; return 1
  fi
  wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$tmp/sums")
  if [ -z "$wanted" ] || [ "$(sha256_of "$tmp/$name")" != "$wanted" ]; then
    log "$name does not match the release's SHA256SUMS and was thrown away"; return 1
  fi
  mkdir -p "$tmp/release"
  tar -xzf "$tmp/$name" -C "$tmp/release" && keep "$tmp/release" "release $NATS_RELEASE"
}

from_apt || from_release || die "found no nats-server >= $NATS_MIN and could not fetch one: $FIX"
