#!/usr/bin/env python3
"""How much faster or slower is this tree than another revision?

  python3 tools/bench_compare.py REV [--rounds 9] [--wide 0.05] [--only NAME,...]

Builds the optimized program of REV in a temporary worktree and that of this tree in build/release, runs the same commands on the same
simulated logs with both, in turn, on one thread, and prints the ratio of processor times, this tree over REV, with a 95 % interval (a
bootstrap of the median over pairs of neighbors in time). Where the interval is wider than --wide on either side, the clock is too noisy to
tell: then instructions are counted by valgrind's callgrind, which the load of the machine does not change. Answers are compared as well.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = {
    "naive": ["evaluate", "1000.csv", "--estimators", "naive"],
    "star": ["evaluate", "10000.csv", "--estimators", "star(clusters=32,clip=2)"],
    "fqe": ["evaluate", "1000.csv", "--estimators", "fqe(features=rbf)"],
    "bootstrap": ["evaluate", "1000.csv", "--estimators", "star(clusters=16,clip=1)", "--interval", "bootstrap-percentile(replicates=200)"],
    "auto": ["evaluate", "1000.csv", "--estimators", "auto"],
    "inspect": ["inspect", "10000.csv"],
}


@dataclass(frozen=True)
class Ratio:
    median: float
    lower: float
    upper: float

    def wide(self, bound: float) -> bool:
        return self.upper / self.median - 1 > bound or 1 - self.lower / self.median > bound


def median(values: list[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def ratio_of(new: list[float], old: list[float], draws: int = 2000) -> Ratio:
    """The median of the ratios of pairs, and the middle 95 % of its bootstrap; the same numbers give the same interval."""
    ratios = [a / b for a, b in zip(new, old, strict=True)]
    luck = random.Random(1)
    again = sorted(median(luck.choices(ratios, k=len(ratios))) for _ in range(draws))
    return Ratio(median(ratios), again[int(0.025 * draws)], again[int(0.975 * draws) - 1])


def run(command: list[str], folder: Path) -> tuple[float, str]:
    """Seconds of processor of a command, user and system, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"bench_compare.py: {' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def counted_in(text: str) -> int | None:
    """The instructions that callgrind says it collected."""
    found = re.search(r"Collected : (\d+)", text)
    return int(found[1]) if found else None


def instructions(command: list[str], folder: Path) -> int | None:
    if shutil.which("valgrind") is None:
        return None
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], cwd=folder, capture_output=True, text=True, check=False)
    return counted_in(done.stderr)


def build(source: Path) -> Path:
    """The optimized program of a tree."""
    folder = source / "build/release"
    quiet = {"stdout": subprocess.DEVNULL} if os.environ.get("STAROPE_QUIET") else {}
    subprocess.run(["cmake", "--preset", "release"], cwd=source, check=True, **quiet)
    subprocess.run(["cmake", "--build", str(folder), "--target", "starope_app"], cwd=source, check=True, **quiet)
    return folder / "bin/starope"


def same_answer(one: str, other: str) -> bool:
    """Whether two evaluations or inspections say the same, seconds and versions aside."""
    def plain(text: str) -> object:
        return json.loads(re.sub(r'"(seconds|version)": ?[^,}\]]+', r'"\1": 0', text))
    return plain(one) == plain(other)


def compare(new: Path, old: Path, folder: Path, names: list[str], rounds: int, wide: float) -> None:
    for episodes in (1000, 10000):
        run([str(new), "simulate", "cartpole", "--episodes", str(episodes), "--seed", "1", "-o", f"{episodes}.csv"], folder)
    print(f"{'work':<12}{'this tree':>12}{'REV':>12}   ratio of processor time, 95 % interval")
    for name in names:
        words = [*WORK[name], "--json"] + (["--threads", "1"] if WORK[name][0] == "evaluate" else [])
        times: dict[Path, list[float]] = {new: [], old: []}
        said: dict[Path, str] = {}
        for turn in range(rounds + 1):
            for program in (new, old) if turn % 2 else (old, new):
                seconds, said[program] = run([str(program), *words], folder)
                if turn > 0:  # the first round warms caches
                    times[program].append(seconds)
        ratio = ratio_of(times[new], times[old])
        line = f"{name:<12}{median(times[new]):>10.3f} s{median(times[old]):>10.3f} s   {ratio.median:.3f} ({ratio.lower:.3f} to {ratio.upper:.3f})"
        if ratio.wide(wide):
            counts = [instructions([str(program), *words], folder) for program in (new, old)]
            line += "; the clock is too noisy" + (f": instructions {counts[0] / 1e6:,.0f} M, {counts[1] / 1e6:,.0f} M, ratio {counts[0] / counts[1]:.4f}"
                                                  if all(counts) else ", and valgrind is not installed")
        print(line + ("" if same_answer(said[new], said[old]) else "; the answers differ"), flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", metavar="REV")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--wide", type=float, default=0.05)
    parser.add_argument("--only", default=",".join(WORK))
    options = parser.parse_args(arguments)
    names = options.only.split(",")
    if unknown := [name for name in names if name not in WORK]:
        parser.error(f"no work is called {', '.join(unknown)}. There is: {', '.join(WORK)}")
    found = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", options.revision + "^{commit}"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        parser.error(f"there is no revision '{options.revision}' in this repository")
    with tempfile.TemporaryDirectory(prefix="starope-compare-") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "--detach", "--quiet", str(tree), found.stdout.strip()], check=True)
        try:
            old, new = build(tree), build(ROOT)
            compare(new, old, Path(folder), names, options.rounds, options.wide)
        finally:
            subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(tree)], check=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
