#!/usr/bin/env python3
"""Runs `starope evaluate` over recorded logs and appends one line of JSON per log; then tables.py makes pages of them.

    judge.py LOGS -o RESULTS.jsonl --program starope [--worlds decide] [--jobs 2]

Needs the standard library alone: what it must know of a world stands in truths.csv. Logs that have their line are skipped, so
an interrupted run is continued by the same command. Worlds kept aside run only if they are asked for by name or as `aside`.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRUTHS = Path(__file__).with_name("truths.csv")
ESTIMATORS = "auto,fqe,dr(q=fqe),wpdis,mb,naive"


def read_truths(path=TRUTHS):
    """World -> {half, horizon, value, std_error, discount} of its target policy."""
    with path.open(newline="") as file:
        return {row["world"]: {"half": row["half"], "horizon": int(row["horizon"]), "value": float(row["value"]),
                               "std_error": float(row["std_error"]), "discount": row.get("discount", "1")}
                for row in csv.DictReader(file) if row["policy"] == "target"}


def parts(path):
    """World, size and seed of a log by its name, as record.py gives it."""
    world, size, seed = path.name.removesuffix(".npz").rsplit(".", 2)
    return world, int(size), int(seed)


def findings(entry):
    return [[finding["severity"], finding["code"]] for finding in entry.get("findings", [])]


def shortened(estimate):
    line = {"estimator": estimate["estimator"], "findings": findings(estimate)}
    if "error" in estimate:
        return {**line, "error": estimate["error"]["code"]}
    interval = estimate.get("interval") or {}
    return {**line, "value": estimate["value"], "std_error": estimate.get("std_error"), "lower": interval.get("lower"),
            "upper": interval.get("upper")}


def evaluate(program, path, truth, estimators, timeout):
    """The line of one log. One thread each: processes run side by side, and results do not depend on threads."""
    world, size, seed = parts(path)
    line = {"world": world, "size": size, "seed": seed}
    command = [program, "evaluate", str(path), "--horizon", str(truth["horizon"]), "--gamma", truth["discount"], "--threads", "1",
               "--estimators", estimators, "--json"]
    start = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {**line, "error": f"more than {timeout} s", "data": [], "estimates": []}
    if done.returncode != 0:
        return {**line, "error": done.stderr.strip()[-500:], "data": [], "estimates": []}
    answer = json.loads(done.stdout)
    return {**line, "seconds": round(time.time() - start, 2), "data": findings(answer["data"]),
            "estimates": [shortened(estimate) for estimate in answer["estimates"]]}


def read_lines(path):
    return [json.loads(text) for text in path.read_text().splitlines()] if path.exists() else []


def completed(line, earlier):
    """With the estimates of an earlier run on the same log for the estimators that were not asked now."""
    asked = {estimate["estimator"] for estimate in line["estimates"]}
    kept = [estimate for estimate in earlier["estimates"] if estimate["estimator"] not in asked] if earlier else []
    return {**line, "estimates": line["estimates"] + kept}


def wanted(logs, truths, names, sizes, seeds, done):
    """Logs to run, small ones first."""
    chosen = []
    for path in logs.glob("*.npz"):
        if path.name.startswith("partial-"):
            continue
        world, size, seed = parts(path)
        if world not in truths or not {world, truths[world]["half"]} & set(names):
            continue
        if (sizes and size not in sizes) or (seeds is not None and seed >= seeds) or (world, size, seed) in done:
            continue
        chosen.append((size, seed, world, path))
    return [path for _, _, _, path in sorted(chosen)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logs", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--program", default="starope")
    parser.add_argument("--truths", type=Path, default=TRUTHS, help="what the worlds are and what their policies earn")
    parser.add_argument("--estimators", default=ESTIMATORS)
    parser.add_argument("--keep", type=Path, help="results that have the estimators not asked now: they need not run again")
    parser.add_argument("--worlds", default="decide", help="names or halves, with commas")
    parser.add_argument("--sizes", default="", help="numbers of episodes, with commas (default: all)")
    parser.add_argument("--seeds", type=int, help="only logs with a smaller seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=1200)
    options = parser.parse_args()
    program, truths = shutil.which(options.program), read_truths(options.truths)
    if not program:
        sys.exit(f"no program {options.program}")
    done = {(line["world"], line["size"], line["seed"]) for line in read_lines(options.output)}
    earlier = {(line["world"], line["size"], line["seed"]): line for line in (read_lines(options.keep) if options.keep else [])}
    sizes = {int(size) for size in options.sizes.split(",") if size}
    paths = wanted(options.logs, truths, options.worlds.split(","), sizes, options.seeds, done)
    with tempfile.TemporaryDirectory() as folder, options.output.open("a") as output, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        copied = shutil.copy(program, Path(folder) / "starope")  # a rebuild meanwhile does not mix two versions
        tasks = [pool.submit(evaluate, copied, path, truths[parts(path)[0]], options.estimators, options.timeout)
                 for path in paths]
        for count, task in enumerate(concurrent.futures.as_completed(tasks), start=1):
            line = task.result()
            line = completed(line, earlier.get((line["world"], line["size"], line["seed"])))
            output.write(json.dumps(line) + "\n")
            output.flush()
            print(f"{count}/{len(tasks)} {line['world']} {line['size']} {line['seed']} {line.get('seconds', line.get('error'))}",
                  file=sys.stderr)


if __name__ == "__main__":
    main()
