#!/usr/bin/env bash
# Evaluates one policy from the logs of another, where the answer is known. `make demo` builds the program first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PWD/build/bin:$PATH"

logs=demo/cartpole.csv
estimators=(
  auto naive is pdis wis wpdis
  "star(clusters=32,clip=2)"
  "star(clusters=256,clip=1,truncation=censor)"
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
run starope evaluate "$logs" --estimators "$(IFS=,; echo "${estimators[*]}")" --report demo/report.html

cat <<END

The true value of the target policy, as simulate says above, is 39.30.

A cart pushed left and right at random left these logs; the target policy pushes to the side the pole leans to, nine times
out of ten, and keeps it up almost twice as long. Importance sampling over whole episodes (is, pdis, wis, wpdis) rests on about
ten of them and answers anything from 0 to 37; a single star overshoots where the cut of a recording after 50 steps counts as
its end and falls short where its cells are coarse; auto asks several families of models, weighs them by the evidence against each,
and has the truth in its interval.
END

printf '\nTo look at: %s\n' "$PWD/demo/report.html"
