#!/usr/bin/env python3
"""What fitted behavior probabilities do to the weights of episodes: their mean after every step, which should be 1.

  studies/fitted_weights.py STAROPE DOMAIN [--episodes 500] [--data-sets 20] [--steps 1,2,5,10] [--dynamics FILE]

For domains whose states are ids. The behavior probability of a step is the share of its action among the steps of its state, in the same
data set: without pseudo-counts, as --behavior "estimate(method=counts,pseudocounts=0)" has it. Logged probabilities stand beside it.
"""
import argparse
import csv
import subprocess
import sys
import tempfile
from collections import Counter


def episodes_of(options):
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        words = [options.program, "simulate", options.domain, "--episodes", str(options.episodes * options.data_sets), "--seed",
                 str(options.seed), "--threads", "1", "-o", file.name]
        if options.dynamics:
            words += ["--dynamics", options.dynamics]
        subprocess.run(words, check=True, capture_output=True)
        with open(file.name, encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines)
            place = {name: k for k, name in enumerate(next(rows))}
            wanted = [place[name] for name in ("episode", "state", "action", "target_prob", "behavior_prob")]
            last, episode = None, []
            for row in rows:
                number, state, action, target, behavior = (row[k] for k in wanted)
                if number != last and episode:
                    yield episode
                    episode = []
                last = number
                episode.append((state, (state, action), float(target), float(behavior)))
            yield episode


def mean_weights(episodes, steps, behavior):
    sums = [0.0] * len(steps)
    for episode in episodes:
        products = [1.0]
        for step in episode:
            products.append(products[-1] * step[2] / behavior(step))
        for k, t in enumerate(steps):
            sums[k] += products[min(t, len(episode))]  # an episode that has ended keeps its weight
    return [total / len(episodes) for total in sums]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("domain")
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--data-sets", type=int, default=20)
    parser.add_argument("--steps", default="1,2,5,10")
    parser.add_argument("--seed", type=int, default=78)
    parser.add_argument("--dynamics")
    options = parser.parse_args()
    steps = [int(word) for word in options.steps.split(",")]
    all_episodes = list(episodes_of(options))
    means = {"logged": [0.0] * len(steps), "fitted": [0.0] * len(steps)}
    for first in range(0, len(all_episodes), options.episodes):
        episodes = all_episodes[first:first + options.episodes]
        visits, pairs = Counter(), Counter()
        for episode in episodes:
            for state, pair, _, _ in episode:
                visits[state] += 1
                pairs[pair] += 1
        for name, behavior in (("logged", lambda step: step[3]), ("fitted", lambda step: pairs[step[1]] / visits[step[0]])):
            for k, mean in enumerate(mean_weights(episodes, steps, behavior)):
                means[name][k] += mean / options.data_sets
    print(f"{options.domain}, {options.data_sets} data sets of {options.episodes} episodes: mean weight after {options.steps} steps")
    for name, values in means.items():
        print(f"  {name}: " + ", ".join(f"{value:.2f}" for value in values))


if __name__ == "__main__":
    sys.exit(main())
