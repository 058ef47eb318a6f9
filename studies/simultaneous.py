#!/usr/bin/env python3
"""Do intervals that should hold all at once do so? Many small logs with a known truth, through the program.

  studies/simultaneous.py STAROPE [DATA SETS] [EPISODES]

Two steps with three actions, a uniform logged policy, five target policies, two wards with rewards of their own. Counts how often
all 15 differences of `compare` (five policies and the logged one), all five values, and both groups of `evaluate --by ward` are
within their intervals. A group that is too few has no interval and claims nothing.
"""

import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

POLICIES = {"a": (0.5, 0.3, 0.2), "b": (0.2, 0.3, 0.5), "c": (0.1, 0.8, 0.1), "d": (0.3, 0.3, 0.4), "e": (0.05, 0.15, 0.8)}
EARNS = {"er": (0.0, 1.0, 0.5), "icu": (1.0, 0.0, 1.5)}  # the mean reward of each action
STEPS = 2


def value(policy, wards):
    return sum(STEPS * sum(p * r for p, r in zip(policy, EARNS[ward])) for ward in wards) / len(wards)


def write_logs(path, episodes, seed):
    draw = random.Random(seed)
    lines = ["episode,ward,action,reward,behavior_prob," + ",".join(POLICIES)]
    for i in range(episodes):
        ward = draw.choice(list(EARNS))
        for _ in range(STEPS):
            action = draw.randrange(3)
            reward = EARNS[ward][action] + draw.gauss(0, 1)
            probabilities = ",".join(str(policy[action]) for policy in POLICIES.values())
            lines.append(f"{i},{ward},{action},{reward!r},{1 / 3!r},{probabilities}")
    path.write_text("\n".join(lines) + "\n")


def holds(interval, truth):
    """A group that is too few has no interval, and claims nothing."""
    return interval is None or interval["lower"] <= truth <= interval["upper"]


def main():
    program = sys.argv[1]
    sets = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    episodes = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    both = list(EARNS)
    truth = {name: value(policy, both) for name, policy in POLICIES.items()}
    truth["logged"] = value((1 / 3,) * 3, both)
    within = {"all 15 differences": 0, "all 6 values": 0, "both groups": 0, "one difference": 0}
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder) / "logs.csv"
        run = lambda *words: json.loads(subprocess.run([program, *words, "--json", "--threads", "1"], check=True,
                                                       capture_output=True, text=True).stdout)
        targets = [word for name in POLICIES for word in ("--target-prob", name)]
        for seed in range(sets):
            write_logs(logs, episodes, seed)
            found = run("compare", str(logs), *targets, "--estimator", "wpdis")
            within["all 15 differences"] += all(
                holds(each["interval"], truth[each["first"]] - truth[each["second"]]) for each in found["differences"])
            within["all 6 values"] += all(holds(each["interval"], truth[each["policy"]]) for each in found["policies"])
            found = run("evaluate", str(logs), "--target-prob", "b", "--estimators", "wpdis", "--by", "ward")
            logged = {ward: value((1 / 3,) * 3, [ward]) for ward in both}
            within["both groups"] += all(
                holds(group["difference"]["interval"], value(POLICIES["b"], [ward]) - logged[ward])
                for ward, group in zip(both, found["groups"]))
            within["one difference"] += holds(found["difference"]["interval"], truth["b"] - truth["logged"])
            if (seed + 1) % 100 == 0:
                print(seed + 1, within, file=sys.stderr, flush=True)
    for name, count in within.items():
        share = count / sets
        print(f"{name}: {100 * share:.1f} % of {sets} logs of {episodes} episodes (+- {200 * math.sqrt(share * (1 - share) / sets):.1f})")


if __name__ == "__main__":
    main()
