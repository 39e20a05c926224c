#!/bin/sh
# Prints secrets.example.yaml with a random password for each @NAME@. Run it once: it makes new ones every time.
set -eu
template=$(dirname "$0")/secrets.example.yaml
script=''
for name in $(grep -v '^#' "$template" | grep -oE '@[A-Z_]+@' | sort -u); do
  password=p$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')
  script="$script;s/$name/$password/g"
done
grep -v '^#' "$template" | sed "${script#;}"
