#!/bin/sh
# The whole road: notifications built from a device list, validated, sent over TLS and HTTP/2 with a provider token to a
# local APNs, and the device tokens to drop listed at the end. Nothing leaves this machine.
#
# usage: examples/demo.sh (the tools must be in PATH: `make demo` sees to that)
set -eu

here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
if [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ]; then say() { printf '\n%s\n' "$*"; }; fi

say "1. Build a notification for each device of examples/devices.ndjson"
status=0
apns-build --topic com.example.app --push-type alert --priority 10 \
  --title 'Hello {{name}}' --body '{{unread}} new messages for you in {{city}}' --badge '{{unread}}' \
  <"$here/devices.ndjson" >"$work/built.ndjson" || status=$?
echo "$(wc -l <"$work/built.ndjson") notifications built, exit status $status (1: one line was refused, see above)"
head -n 1 "$work/built.ndjson"

say "2. Validate them"
apns-validate <"$work/built.ndjson" >"$work/valid.ndjson"
echo "$(wc -l <"$work/valid.ndjson") notifications are fine"

say "3. Send them to a local APNs: real TLS, HTTP/2 and an ES256 provider token"
apns-server --received "$work/received.ndjson" -- apns-push <"$work/valid.ndjson" >"$work/results.ndjson" || true
jq -r '[.line, .status // "-", .outcome, .reason // ""] | @tsv' <"$work/results.ndjson" | sort -n
echo "$(wc -l <"$work/received.ndjson") notifications were received by the server"

say "4. The tokens to drop"
apns-feedback <"$work/results.ndjson"
