#!/usr/bin/env python3
"""True or estimated behavior probabilities: which give the smaller error? Many small logs with a known truth, through the program.

  studies/propensities.py STAROPE DOMAIN [--episodes 200] [--data-sets 100] [--dynamics FILE] [-o table.md]

One long log is simulated and cut into data sets. Each is evaluated with the logged probabilities and with --behavior METHOD, which does
not look at them. A row is an estimator: root mean squared error and bias with either, and the ratio of the errors with a 95 % interval
(bootstrap over data sets, so that both are seen on the same logs).
"""
import argparse
import json
import math
import random
import re
import subprocess
import tempfile

from intervals import data_sets


def simulate(options):
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        words = [options.program, "simulate", options.domain, "--episodes", str(options.episodes * options.data_sets), "--seed",
                 str(options.seed), "--threads", "1", "-o", file.name]
        if options.dynamics:
            words += ["--dynamics", options.dynamics]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        truth = float(re.search(r"target policy .*?true value ([-0-9.e+]+)", done.stderr).group(1))
        with open(file.name, encoding="utf-8") as lines:
            return truth, lines.read().splitlines()


def values(options, text, more):
    done = subprocess.run([options.program, "evaluate", "-", "--threads", "1", "--json", "--estimators", options.estimators] + more +
                          options.more, input=text, capture_output=True, text=True, check=True)
    return {each["estimator"]: each.get("value") for each in json.loads(done.stdout)["estimates"]}


def root(errors):
    return math.sqrt(sum(e * e for e in errors) / len(errors))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("domain")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--data-sets", type=int, default=100)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--behavior", default="estimate")
    parser.add_argument("--estimators", default="is,wis,pdis,wpdis,star(clusters=32,clip=2)")
    parser.add_argument("--dynamics")
    parser.add_argument("--more", nargs="*", default=[], help="further flags of evaluate")
    parser.add_argument("-o", "--output", default="-")
    options = parser.parse_args()
    truth, lines = simulate(options)
    pairs = {}
    for text in data_sets(lines, options.episodes):
        logged, fitted = values(options, text, []), values(options, text, ["--behavior", options.behavior])
        for name, value in logged.items():
            if value is not None and fitted[name] is not None:
                pairs.setdefault(name, []).append((value - truth, fitted[name] - truth))
    table = [f"{options.domain}, {options.episodes} episodes, truth {truth:g}, `--behavior {options.behavior}`:", "",
             "| estimator | data sets | error, logged | bias | error, estimated | bias | estimated / logged |", "|---|---|---|---|---|---|---|"]
    draw = random.Random(1)
    for name, errors in pairs.items():
        ratios = sorted(root([e for _, e in sample]) / root([e for e, _ in sample])
                        for sample in ([draw.choice(errors) for _ in errors] for _ in range(1000)))
        columns = [root(list(side)) for side in zip(*errors)] + [sum(side) / len(errors) for side in zip(*errors)]
        table.append(f"| `{name}` | {len(errors)} | {columns[0]:.3g} | {columns[2]:.2g} | {columns[1]:.3g} | {columns[3]:.2g} | "
                     f"{columns[1] / columns[0]:.2f} ({ratios[25]:.2f} to {ratios[975]:.2f}) |")
    text = "\n".join(table) + "\n"
    if options.output == "-":
        print(text)
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
