#!/usr/bin/env python3
"""Writes logs of the built-in worlds, and what their target policies earn, as the tools of studies/foreign read them.

    own_logs.py FOLDER --program starope --sizes 100,1000 --logs 8,3 [--first SEED] [WORLD ...]
    foreign/judge.py FOLDER -o RESULTS.jsonl --truths FOLDER/truths.csv --worlds own --program starope --estimators auto,naive,wpdis
    foreign/tables.py RESULTS.jsonl --truths FOLDER/truths.csv > page.md

Horizon, discount and true value are what `starope simulate` says. Logs that are there are not written again.
"""

import argparse
import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Not by default: ICU-Sepsis needs its tables, and boards of pixels take minutes each.
LEFT_OUT = ("icu-sepsis", "asterix", "gridworld-8x8-pixels")
COLUMNS = ["world", "half", "horizon", "policy", "value", "std_error", "episodes", "discount"]


def domains(program):
    lines = subprocess.run([program, "simulate", "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    names = [line.split(":")[0] for line in lines if re.match(r"[a-z0-9-]+:", line)]
    return [name for name in names if not name.startswith(LEFT_OUT)]


def simulate(program, world, size, seed, path):
    """Writes one log; what the program says of it: horizon, discount, and the true value of the target policy."""
    said = subprocess.run([program, "simulate", world, "--episodes", str(size), "--seed", str(seed), "-o", str(path)],
                          check=True, capture_output=True, text=True).stderr
    horizon = re.search(r"\(horizon (\d+),", said)[1]
    value, error, discount = re.search(r"target policy .*?: true value (\S+?)(?: \+- (\S+))? \(.*discount ([0-9.]+)\)", said).groups()
    return {"world": world, "half": "own", "horizon": horizon, "policy": "target", "value": value, "std_error": error or "0",
            "episodes": "exact" if error is None else "simulated", "discount": discount}


def write_truths(truths, path):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(truths)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("worlds", nargs="*", help="default: all that need no further files")
    parser.add_argument("--program", default="starope")
    parser.add_argument("--sizes", default="100,1000", help="numbers of episodes")
    parser.add_argument("--logs", default="8,3", help="logs of each size")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    options = parser.parse_args()
    program = shutil.which(options.program) or sys.exit(f"no program {options.program}")
    options.folder.mkdir(parents=True, exist_ok=True)
    truths = {}
    for world in options.worlds or domains(program):
        for size, logs in zip(options.sizes.split(","), options.logs.split(","), strict=True):
            for seed in range(options.first, options.first + int(logs)):
                path = options.folder / f"{world}.{size}.{seed}.npz"
                if path.exists() and world in truths:
                    continue
                truths[world] = simulate(program, world, size, seed, path)
    write_truths(truths.values(), options.folder / "truths.csv")


if __name__ == "__main__":
    main()
