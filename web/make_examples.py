#!/usr/bin/env python3
"""make_examples.py STAROPE FOLDER: simulated logs that the page offers, with what is known about them, in FOLDER/examples.json."""

import json
import re
import subprocess
import sys
from pathlib import Path

SEED = 1
# Domain, episodes, what it is about.
EXAMPLES = (
    ("cartpole", 200, "A pole on a cart, pushed left and right"),
    ("glucose", 40, "Blood sugar and doses of insulin"),
    ("queue", 100, "A queue whose server works fast or slowly"),
    ("inventory", 60, "A shop that orders goods"),
    ("maintenance", 200, "A machine that wears out and is repaired"),
    ("reservoir", 40, "Water that is released or kept"),
    ("navigation", 40, "A walk to a goal"),
    ("mountain-car", 20, "A car that must swing up a hill"),
    ("pendulum", 30, "A pendulum that is held upright"),
    ("gridworld-8x8", 300, "A grid of 64 cells"),
    ("rare-reward", 60, "Rewards that hardly ever come"),
    ("hidden-mode", 100, "A part of the state is not in the logs"),
    ("two-wells", 50, "A particle between two wells"),
    ("model-fail", 400, "States that look alike and are not"),
)
TRUTH = re.compile(r"target policy (?P<policy>.+): true value (?P<value>\S+)(?: \+- \S+)? \(.*discount (?P<discount>[\d.]+)\)")


def example(program: str, folder: Path, domain: str, episodes: int, about: str) -> dict[str, str]:
    name = f"{domain}.csv"
    done = subprocess.run([program, "simulate", domain, "--episodes", str(episodes), "--seed", str(SEED), "-o", name],
                          cwd=folder, check=True, capture_output=True, text=True)
    said = TRUTH.search(done.stderr)
    if not said:
        raise SystemExit(f"make_examples.py: no true value of {domain} in:\n{done.stderr}")
    gamma = "" if said["discount"] == "1" else f"discount {said['discount']}, "
    value = f"{float(said['value'].replace(',', '')):.4g}"
    return {"name": name, "title": domain, "about": f"{about}. {episodes} episodes, {gamma}true value {value}."}


def main(arguments: list[str]) -> int:
    program, folder = str(Path(arguments[0]).resolve()), Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    examples = [example(program, folder, *each) for each in EXAMPLES]
    (folder / "examples.json").write_text(json.dumps(examples, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
