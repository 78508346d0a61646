#!/bin/sh
# Prints the directory of PostgreSQL's programs. Where there is none, Debian's packages are unpacked below the cache,
# beside the system: nothing is installed into it, and no server is started.
set -eu
cache=${HOLDPOINT_POSTGRES:-${XDG_CACHE_HOME:-$HOME/.cache}/holdpoint-postgres}
found() {
  for bin in /usr/lib/postgresql/*/bin "$cache"/usr/lib/postgresql/*/bin; do
    [ -x "$bin/initdb" ] && [ -x "$bin/postgres" ] && echo "$bin"
  done | sort -V | tail -1
}
bin=$(found)
if [ -z "$bin" ]; then
  mkdir -p "$cache/debs"
  cd "$cache/debs"
  version=$(apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -1)
  [ -n "$version" ] || { echo "Debian's packages are not to be had here: apt-get update" >&2; exit 1; }
  apt-get download "postgresql-$version" "postgresql-client-$version" libpq5 >&2
  # What the server is linked with and the system does not have yet.
  for package in $(apt-cache depends "postgresql-$version" | sed -n 's/.*Depends: \(lib[^ ]*\)$/\1/p'); do
    dpkg -s "$package" >/dev/null 2>&1 || apt-get download "$package" >&2
  done
  for deb in *.deb; do dpkg -x "$deb" "$cache"; done
  bin=$(found)
fi
[ -n "$bin" ] || { echo "PostgreSQL cannot be had" >&2; exit 1; }
echo "$bin"
