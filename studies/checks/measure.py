#!/usr/bin/env python3
"""How often the checks of logs find a fault, and how often they alarm without one.

    measure.py power STAROPE OUT.json [--seeds N] [--first SEED]      injects every fault into simulated logs
    measure.py clean STAROPE OUT.json [--seeds N] [--first SEED]      looks at clean logs of all built-in domains
    measure.py table POWER.json CLEAN.json PAGE.md     writes the tables between the marks of the page

Both runs need nothing but the program and Python; they take some minutes each. A log is what `starope simulate` writes; what
is found is what `starope inspect --json` lists as warning or critical (`evaluate` shows the same).
"""

import argparse
import collections
import csv
import json
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import faults

POWER = {"cartpole": 2000, "linear-quadratic": 2000, "pendulum": 500, "maintenance": 1000, "gridworld-8x8": 1000}
CLEAN_SIZES = (50, 400)
# What inspect says about weights and columns of sound logs, too.
ADVICE = {"weights_collapse", "weights_missing", "weight_mean", "unsupported_actions", "uneven_truncation", "single_episode"}
# Worlds that show less than their state, by their description: there it is true that the row before helps. Everywhere else it is false.
HIDE = {"asterix", "model-fail", "graph-aliased", "hidden-mode", "noisy-repair", "queue", "glucose"}


def run(*arguments):
    return subprocess.run(list(map(str, arguments)), check=True, capture_output=True, text=True).stdout


def findings(program, log, *flags):
    """Codes with severities of what is wrong with the log."""
    seen = json.loads(run(program, "inspect", log, "--json", "--threads", 1, *flags))["findings"]
    return {f["code"]: f["severity"] for f in seen if f["severity"] != "info" and f["code"] not in ADVICE}


def domains(program):
    lines = run(program, "simulate", "--list").splitlines()
    return [line.split(":")[0] for line in lines if ":" in line and line[0].isalpha() and " " not in line.split(":")[0]]


def read_episodes(path):
    episodes = []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if not episodes or episodes[-1][0]["episode"] != row["episode"]:
                episodes.append([])
            episodes[-1].append(row)
    return episodes


def spoil(program, domain, seed, folder):
    """All faults of one log: [fault, {code: severity}]."""
    log = folder / f"{domain}-{seed}.csv"
    run(program, "simulate", domain, "--episodes", POWER[domain], "--seed", seed, "-o", log)
    episodes = read_episodes(log)
    found = []
    for name, _, _ in faults.FAULTS:
        wrong = faults.inject(name, episodes, seed)
        with open(log, "w", newline="") as file:
            writer = csv.DictWriter(file, list(wrong[0][0]))
            writer.writeheader()
            for rows in wrong:
                writer.writerows(rows)
        try:
            found.append([name, findings(program, log)])
        except subprocess.CalledProcessError as refused:  # a swapped column may hold a zero, which the reader refuses
            found.append([name, {"refused": "critical"}])
            print(domain, name, refused.stderr.strip()[:120], flush=True)
    log.unlink()
    print(domain, seed, flush=True)
    return domain, seed, found


def look(program, domain, seed, folder):
    """Clean logs of one domain: [size, columns, {code: severity}]."""
    found = []
    for size in CLEAN_SIZES:
        log = folder / f"{domain}-{size}-{seed}.npz"
        try:
            run(program, "simulate", domain, "--episodes", size, "--seed", seed, "--threads", 1, "-o", log)
        except subprocess.CalledProcessError:  # needs tables that are not there
            return domain, seed, []
        found.append([size, "full", findings(program, log)])
        found.append([size, "logged", findings(program, log, "--behavior-probs", "", "--target-probs", "")])
        log.unlink()
    return domain, seed, found


def measure(work, jobs, out):
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: work(*job, pathlib.Path(name)), jobs))
    out.write_text(json.dumps(results), encoding="utf-8")


def power_table(results):
    codes = collections.defaultdict(collections.Counter)
    runs = collections.Counter(domain for domain, _, _ in results)
    hits = collections.Counter()
    for domain, _, found in results:
        for name, seen in found:
            hits[name, domain] += bool(seen)
            codes[name].update(list(seen))
    names = list(POWER)
    lines = ["| fault | " + " | ".join(names) + " | found by |", "|---" * (len(names) + 2) + "|"]
    for name, _, _ in faults.FAULTS:
        most = ", ".join(f"`{code}`" for code, _ in codes[name].most_common(3)) or "nothing"
        shares = [f"{hits[name, domain]} of {runs[domain]}" for domain in names]
        lines.append(f"| {name} | " + " | ".join(shares) + f" | {most} |")
    return lines


def clean_table(results):
    runs, alarms, wrong = collections.Counter(), collections.Counter(), collections.Counter()
    for domain, _, found in results:
        for size, columns, seen in found:
            runs[size, columns] += 1
            alarms[size, columns] += any(severity == "warning" and not (domain in HIDE and code == "row_before_helps")
                                         for code, severity in seen.items())
            wrong[size, columns] += "critical" in seen.values()
    names = {"full": "full distributions", "logged": "probabilities of the logged actions only"}
    lines = ["| episodes | columns | logs | with a false warning | with a false critical finding |", "|---|---|---|---|---|"]
    for (size, columns), count in sorted(runs.items()):
        lines.append(f"| {size} | {names[columns]} | {count} | {alarms[size, columns]} | {wrong[size, columns]} |")
    return lines


def replace(page, mark, lines):
    before, _, rest = page.partition(f"<!-- {mark} -->\n")
    _, _, behind = rest.partition(f"<!-- /{mark} -->")
    return before + f"<!-- {mark} -->\n\n" + "\n".join(lines) + f"\n\n<!-- /{mark} -->" + behind


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["power", "clean", "table"])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    asked = parser.parse_args()
    if asked.what == "table":
        power, clean, page = asked.files
        text = page.read_text(encoding="utf-8")
        text = replace(text, "power", power_table(json.loads(power.read_text(encoding="utf-8"))))
        text = replace(text, "clean", clean_table(json.loads(clean.read_text(encoding="utf-8"))))
        page.write_text(text, encoding="utf-8")
        return
    program, out = asked.files
    program = program.resolve()
    chosen = POWER if asked.what == "power" else domains(program)
    jobs = [(program, domain, seed) for seed in range(asked.first, asked.first + asked.seeds) for domain in chosen]
    measure(spoil if asked.what == "power" else look, jobs, out)


if __name__ == "__main__":
    main()
