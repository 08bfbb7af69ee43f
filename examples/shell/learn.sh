#!/usr/bin/env bash
# Walks home ten times in unknown weather, and lets goalward choose the way: a learner
# in a loop of one's own, in shell with jq. Usage: learn.sh [FOLDER], where the session is kept.
set -euo pipefail
examples=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d)}

# what is known: two models of the walk, of which the truth is some mixture
goalward mix "$examples/sunny.drn" "$examples/rainy.drn" --quiet -o "$folder/weather.json"

coproc SERVE { exec goalward serve "$folder/weather.json" --checkpoint "$folder/walks.ckpt" --quiet; }
exec {from}<&"${SERVE[0]}" {to}>&"${SERVE[1]}"
answer() { read -r line <&"$from" && printf '%s\n' "$line"; }
ask() { printf '%s\n' "$1" >&"$to" && answer; }

# the world, which is yours: where a way leads, in percent of the cases
declare -A succeeds=([path]=50 [road]=100 [ford]=45 [bridge]=100)
RANDOM=1

read -r start goal < <(answer | jq -r '"\(.start) \(.goal)"')
for _ in {1..10}; do
    state=$start
    while [ "$state" != "$goal" ]; do
        action=$(ask "{\"op\":\"act\",\"state\":$state}" | jq -r .name)
        next=$((RANDOM % 100 < succeeds[$action] ? state + 1 : state))
        ask "{\"op\":\"observe\",\"state\":$state,\"action\":\"$action\",\"next\":$next}" >/dev/null
        state=$next
    done
    ask '{"op":"end_episode"}' >/dev/null
done
ask '{"op":"estimate"}' | jq -r '"after \(.steps) steps:",
    ([.model_names, .theta_hat, .theta_interval] | transpose[] | tojson)'
ask '{"op":"quit"}' >/dev/null
