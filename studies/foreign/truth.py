#!/usr/bin/env python3
"""What both policies of every world really earn within its horizon: exactly for tables, else the mean over episodes that are
stepped for real. Writes truths.csv beside this file, one line per world and policy; lines that are there are kept.

    truth.py [--episodes N] [--force] [WORLD|decide|aside ...]
"""

import argparse
import csv
from pathlib import Path

import numpy as np

import worlds
from record import BLOCK, generator, roll

FILE = Path(__file__).with_name("truths.csv")
COLUMNS = ["world", "half", "horizon", "policy", "value", "std_error", "episodes"]  # all that judge.py needs to know


def exact(world, policy):
    """Backward induction; the value within exactly `horizon` steps."""
    (chance, to, reward, end), first = world.table()
    probabilities = policy(np.arange(len(chance)))
    values = np.zeros(len(chance))
    for _ in range(world.horizon):
        q = (chance * (reward + np.where(end, 0, values[to]))).sum(axis=2)
        values = (probabilities * q).sum(axis=1)
    return float(first @ values)


def simulated(world, policy, purpose, episodes):
    """Mean return and its standard error."""
    batch, returns = world.make(), []
    block = 2000 if not hasattr(batch, "pool") else BLOCK  # vectorized ones gain from long arrays
    for number, first in enumerate(range(0, episodes, block)):
        count = min(block, episodes - first)
        earned = np.zeros(count)
        for _, alive, _, _, _, rewards, _, _ in roll(batch, generator(world, purpose, 0, 0, number), count, world.horizon, policy):
            earned += np.where(alive, rewards, 0)
        returns.append(earned)
    returns = np.concatenate(returns)
    return float(returns.mean()), float(returns.std(ddof=1) / np.sqrt(len(returns)))


def truth(world, name, episodes):
    policy = getattr(world, name)()
    if world.table:
        return {"world": world.name, "policy": name, "value": repr(exact(world, policy)), "std_error": 0, "episodes": "exact"}
    value, error = simulated(world, policy, "truth " + name, episodes)
    return {"world": world.name, "policy": name, "value": f"{value:.8g}", "std_error": f"{error:.3g}", "episodes": episodes}


def read():
    if not FILE.exists():
        return {}
    with FILE.open(newline="") as file:
        return {(row["world"], row["policy"]): row for row in csv.DictReader(file)}


def write(rows):
    order = {name: place for place, name in enumerate(worlds.BY_NAME)}
    for row in rows.values():
        world = worlds.BY_NAME[row["world"]]
        row.update(half=world.half, horizon=world.horizon)
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows.values(), key=lambda row: (order[row["world"]], row["policy"])))


def page(rows):
    """The table of worlds in README.md."""
    lines = ["| world | half | package | seen | H | about | policies (behavior, target) | recording | behavior earns | target earns |",
             "|" + "---|" * 10]
    for world in worlds.WORLDS:
        earned = [rows.get((world.name, policy)) for policy in ("behavior", "target")]
        shown = ["" if row is None else f"{float(row['value']):.5g}" + (
            " (exact)" if row["episodes"] == "exact" else f" ± {float(row['std_error']):.2g}") for row in earned]
        lines.append("| " + " | ".join([world.name, world.half, world.package, world.kind, str(world.horizon), world.about,
                                        world.policies, world.recording, *shown]) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worlds", nargs="*", help="names, decide or aside (default: all)")
    parser.add_argument("--episodes", type=int, help="instead of each world's own number")
    parser.add_argument("--force", action="store_true", help="also those that are in the table already")
    parser.add_argument("--table", action="store_true", help="only print the table of worlds for README.md")
    options = parser.parse_args()
    if options.table:
        print(page(read()))
        return
    for world in worlds.chosen(options.worlds):
        for policy in ("behavior", "target"):
            if (world.name, policy) in read() and not options.force:
                continue
            episodes = options.episodes or world.truth_episodes
            row = truth(world, policy, episodes if policy == "target" else episodes // 4)  # that of the behavior is a remark
            rows = read()  # again: another process may have written meanwhile
            rows[(world.name, policy)] = row
            write(rows)
            print(*row.values(), flush=True)
    write(read())


if __name__ == "__main__":
    main()
