#!/usr/bin/env python3
"""How often intervals hold: many small logs of a domain whose true value is known, and every method of --interval.

    studies/intervals.py build/bin/starope random-mdp --episodes 50 --data-sets 1000 -o coverage.md

One long log is simulated and cut into data sets; each is evaluated once per method. A row of the table is an estimator,
a column a method: the share of intervals that hold the truth, and their median width. The truth of `naive` is what the logged
policy earns. An estimate without an interval counts as no interval, not as a miss; their number stands behind the share.
"""
import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

METHODS = ["influence", "t", "bootstrap-percentile(replicates=200)", "bootstrap-bca(replicates=200)",
           "bootstrap-studentized(replicates=200)"]


def simulate(options, episodes):
    chosen = [word for flag in ("behavior", "target") if getattr(options, flag) for word in ("--" + flag, getattr(options, flag))]
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        done = subprocess.run([options.program, "simulate", options.domain, "--episodes", str(episodes), "--seed", str(options.seed), "--threads",
                               "1", "-o", file.name] + chosen,
                              check=True, capture_output=True, text=True)
        truths = {policy: float(re.search(policy + r" policy .*?true value ([-0-9.e+]+)", done.stderr).group(1))
                  for policy in ("behavior", "target")}
        with open(file.name, encoding="utf-8") as lines:
            return truths, lines.read().splitlines()


def data_sets(lines, episodes):
    header, rows = lines[0], lines[1:]
    chosen, seen, last = [], 0, None
    for row in rows:
        name = row.split(",", 1)[0]
        if name != last:
            if seen == episodes:
                yield "\n".join([header] + chosen) + "\n"
                chosen, seen = [], 0
            seen, last = seen + 1, name
        chosen.append(row)
    if seen == episodes:
        yield "\n".join([header] + chosen) + "\n"


def intervals(options, text, method):
    done = subprocess.run([options.program, "evaluate", "-", "--threads", "1", "--json", "--interval", method, "--level",
                           str(options.level), "--estimators", options.estimators] + options.more,
                          input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    found = {}
    for estimate in json.loads(done.stdout)["estimates"]:
        interval = estimate.get("interval")
        found[estimate["estimator"]] = (interval["lower"], interval["upper"]) if interval else None
    return found


def cell(found, truth):
    made = [each for each in found if each]
    if not made:
        return "no interval"
    held = sum(lower <= truth <= upper for lower, upper in made) / len(made)
    width = statistics.median(upper - lower for lower, upper in made)
    without = f", {len(found) - len(made)} without" if len(made) < len(found) else ""
    return f"{100 * held:.1f} % ({width:.3g}{without})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("domain")
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--behavior", help="of simulate")
    parser.add_argument("--target", help="of simulate")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--estimators", default="naive,is,wis,wpdis,star(phi=identity,clip=1)")
    parser.add_argument("--method", action="append", dest="methods")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--more", nargs="*", default=[], help="further flags of evaluate, such as --more=--horizon=50")
    parser.add_argument("-o", "--output", default="-")
    options = parser.parse_args()
    methods = options.methods or METHODS
    truths, lines = simulate(options, options.episodes * options.data_sets)
    found = {method: {} for method in methods}
    with ThreadPoolExecutor(options.workers) as pool:
        for method in methods:
            for each in pool.map(lambda text, how=method: intervals(options, text, how), data_sets(lines, options.episodes)):
                for estimator, interval in each.items():
                    found[method].setdefault(estimator, []).append(interval)
    count = len(next(iter(found[methods[0]].values())))
    table = [f"{options.domain}, {options.episodes} episodes, {count} data sets, truth {truths['target']:g} "
             f"({truths['behavior']:g} of the logged policy, for `naive`):", "",
             "| estimator | " + " | ".join(f"`{method.split('(')[0]}`" for method in methods) + " |",
             "|---" * (len(methods) + 1) + "|"]
    for estimator in found[methods[0]]:
        truth = truths["behavior" if estimator == "naive" else "target"]
        table.append(f"| `{estimator}` | " + " | ".join(cell(found[method][estimator], truth) for method in methods) + " |")
    text = "\n".join(table) + "\n"
    if options.output == "-":
        print(text)
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
