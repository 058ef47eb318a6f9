#!/usr/bin/env python3
"""make_examples.py STAROPE FOLDER: simulated logs that the page offers, with what is known about them, in FOLDER/examples.json."""

import json
import re
import subprocess
import sys
from pathlib import Path

SEED = 1
# Domain, episodes, what it is about.
SHOWN = (
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
# One click further.
FURTHER = (
    ("asterix", 20, "A small arcade game, seen as 400 zeros and ones"),
    ("model-win", 400, "Three states, seen as they are"),
    ("gridworld-4x4", 100, "A grid of 16 cells"),
    ("gridworld-4x4-goal100", 100, "A grid of 16 cells whose goal is worth 100"),
    ("gridworld-8x8-pixels", 60, "A grid of 64 cells, seen as a picture"),
    ("graph", 400, "16 layers of a good and a bad state"),
    ("graph-short", 400, "4 layers of a good and a bad state"),
    ("graph-sparse", 400, "16 layers, a reward at the end only"),
    ("graph-noise", 400, "16 layers, noisy rewards"),
    ("graph-aliased", 400, "16 layers of states that all look alike"),
    ("toy-mountain-car", 60, "21 positions on a line, until the end is passed"),
    ("single-path", 200, "A chain of 20 states"),
    ("random-mdp", 200, "Ten states whose moves are drawn at random"),
    ("linear-quadratic", 100, "A drifting point, pushed towards zero"),
    ("noisy-repair", 100, "A machine whose wear is seen through noise"),
)
TRUTH = re.compile(r"target policy (?P<policy>.+): true value (?P<value>\S+)(?: \+- \S+)? \(.*discount (?P<discount>[\d.]+)\)")


def domains(listed: str) -> list[str]:
    """The domains that `simulate --list` names, without those that need a file of others."""
    parts = re.split(r"^(?=[a-z0-9-]+: )", listed, flags=re.MULTILINE)
    return [part.partition(":")[0] for part in parts if part.strip() and not re.search(r"^  needs ", part, flags=re.MULTILINE)]


def example(program: str, folder: Path, domain: str, episodes: int, about: str) -> dict[str, str | bool]:
    name = f"{domain}.csv"
    done = subprocess.run([program, "simulate", domain, "--episodes", str(episodes), "--seed", str(SEED), "-o", name],
                          cwd=folder, check=True, capture_output=True, text=True)
    said = TRUTH.search(done.stderr)
    if not said:
        raise SystemExit(f"make_examples.py: no true value of {domain} in:\n{done.stderr}")
    gamma = "" if said["discount"] == "1" else f"discount {said['discount']}, "
    value = f"{float(said['value'].replace(',', '')):.4g}"
    return {"name": name, "title": domain, "about": f"{about}. {episodes} episodes, {gamma}true value {value}.",
            "gamma": "" if said["discount"] == "1" else said["discount"]}


def main(arguments: list[str]) -> int:
    program, folder = str(Path(arguments[0]).resolve()), Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run([program, "simulate", "--list"], check=True, capture_output=True, text=True).stdout
    different = set(domains(listed)) ^ {each[0] for each in SHOWN + FURTHER}
    if different:
        raise SystemExit(f"make_examples.py: {', '.join(sorted(different))}: every domain should have an example, and every example a domain")
    examples = [example(program, folder, *each) | {"further": each in FURTHER} for each in SHOWN + FURTHER]
    (folder / "examples.json").write_text(json.dumps(examples, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
