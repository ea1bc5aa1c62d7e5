#!/bin/sh
# Our JSON reader against simdjson's DOM parser on the same lines, in one process, pass by pass in turn.
#
#   run.sh SCRATCH [FILE]    SCRATCH takes what is built; FILE holds JSON lines, else a million payloads are made
set -eu

if [ $# -lt 1 ]; then
  echo "usage: $0 SCRATCH [FILE]" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
scratch=$(cd "$1" && pwd)
shift

for tool in g++ gcc swiftc; do
  if ! command -v "$tool" > /dev/null; then
    echo "$0: $tool is missing" >&2
    exit 1
  fi
done
if ! echo '#include <simdjson.h>' | g++ -std=c++17 -E -x c++ - > /dev/null 2>&1; then
  echo "$0: simdjson is missing; on Debian: apt-get install libsimdjson-dev" >&2
  exit 1
fi

g++ -O3 -std=c++17 -c "$here/c/simdjson_pass.cpp" -o "$scratch/simdjson_pass.o"
gcc -O2 -c "$here/c/allocations.c" -o "$scratch/allocations.o"
swiftc -O -wmo -swift-version 6 -enable-experimental-feature Lifetimes -module-name JSONBenchmark -I "$here/c" \
  "$here"/../../Sources/JSON/*.swift "$here"/*.swift "$scratch/simdjson_pass.o" "$scratch/allocations.o" \
  -lsimdjson -lstdc++ -lm -o "$scratch/json-bench"
exec "$scratch/json-bench" "$@"
