#!/bin/sh
# apns-decode against a C program that writes the same lines: run.sh [folder of the built tools]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=${1:-$here/../../.build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cc -O2 -o "$work/c" "$here/feedback.c"
python3 "$here/make-input.py" feedback 1000000 >"$work/feedback"
python3 "$here/make-input.py" frames 400000 >"$work/frames"
"$work/c" <"$work/feedback" >"$work/c.out"
"$bin/apns-decode" --as feedback <"$work/feedback" >"$work/swift.out"
cmp "$work/c.out" "$work/swift.out"

python3 - "$work" "$bin/apns-decode" <<'PY'
import os, resource, subprocess, sys

work, decode = sys.argv[1:]

def cpu(command, name):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(work, name)) as source, open(os.devnull, "w") as sink:
        subprocess.run(command, stdin=source, stdout=sink, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

c, swift, frames = [], [], []
for _ in range(7):  # interleaved: the machine's speed wanders
    c.append(cpu([os.path.join(work, "c")], "feedback"))
    swift.append(cpu([decode, "--as", "feedback"], "feedback"))
    frames.append(cpu([decode, "--as", "commands"], "frames"))
size = os.path.getsize(os.path.join(work, "frames")) / 1e6
print("1,000,000 feedback tuples: C %.3f s, apns-decode %.3f s: %.2f of C (aim 0.7)" % (min(c), min(swift), min(c) / min(swift)))
print("frames with payloads: %.0f MB/s (aim 300)" % (size / min(frames)))
print("peak memory of all: %d KiB (aim 24576)" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
