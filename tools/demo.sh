#!/usr/bin/env bash
# Evaluates one policy from the logs of another, where the answer is known. `make demo` builds the program first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PWD/build/bin:$PATH"

logs=demo/cartpole.csv
# 4 million simulated episodes of the target policy: 39.310, standard error 0.005.
true_value=39.31

estimators=(
  naive is pdis wis wpdis
  "star(clusters=32,clip=2)"
  "star(clusters=64,clip=1,truncation=censor)"
  "star(clusters=64,clip=1,truncation=censor,time=indexed)"
)

# Shows a command as a reader would type it, then runs it.
run() {
  printf '\n$'
  for word in "$@"; do
    case "$word" in
      *[\(\)]*) printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$@"
}

command -v starope >/dev/null || { echo "demo.sh: build/bin/starope is not there: run make build" >&2; exit 1; }
mkdir -p demo
run starope simulate cartpole --episodes 1000 --seed 1 -o "$logs"
run starope inspect "$logs"
run starope evaluate "$logs" --estimators "$(IFS=,; echo "${estimators[*]}")"

cat <<END

True value of the target policy: $true_value

A cart that was pushed left and right at random left these logs; the target policy pushes towards the side the pole
leans to, nine times out of ten, and keeps it up almost twice as long. The importance-sampling estimators have only a few
effective episodes and miss that; STAR with truncation=censor, which knows that the recording stops at 50 steps and the
pole does not fall there, comes close.
END
