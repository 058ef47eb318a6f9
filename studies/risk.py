#!/usr/bin/env python3
"""How often intervals of risks hold: two quantiles, a tail mean and a probability, for many logs of a domain.

    studies/risk.py build/bin/starope navigation --episodes 300 --logs 10 [--truth 20000] [-o table.md]

The truth comes from episodes of the target policy itself. Every row of the answer (wis, arp, dr) is counted, and the one that is marked
to be believed. `alone` counts believed intervals that miss the truth without a finding beside them: the worst that can happen.
"""
import argparse
import json
import os
import subprocess
import tempfile


def command(options, *words):
    return subprocess.run([options.program, *words], check=True, capture_output=True, text=True).stdout


def simulate(options, folder, name, episodes, seed, behavior=None):
    path = os.path.join(folder, name)
    words = ["simulate", options.domain, "--episodes", str(episodes), "--seed", str(seed), "--threads", "1", "-o", path]
    command(options, *words, *(["--behavior", behavior] if behavior else []))
    return path


def returns(path):
    totals = {}
    with open(path, encoding="utf-8") as lines:
        header = next(lines).rstrip("\n").split(",")
        episode, reward = header.index("episode"), header.index("reward")
        for line in lines:
            cells = line.rstrip("\n").split(",")
            if cells[reward]:
                totals[cells[episode]] = totals.get(cells[episode], 0.0) + float(cells[reward])
    return sorted(totals.values())


def truth_of(values, question):
    """Numbers of the distribution that gives every value the same mass, in the order of the answer."""
    count = len(values)
    found = [values[min(count - 1, max(0, -int(-p * count // 1) - 1))] for p in question["quantiles"]]
    for share in question["cvar"]:
        whole = int(share * count)
        found.append((sum(values[:whole]) + (share * count - whole) * values[min(whole, count - 1)]) / (share * count))
    return found + [sum(value < x for value in values) / count for x in question["below"]]


def numbers(row):
    return [each for kind in ("quantiles", "cvar", "below") for each in row[kind]]


def held(row, truth):
    tiny = 1e-9 * max(1.0, *map(abs, truth))
    return [each["interval"] and each["interval"]["lower"] - tiny <= x <= each["interval"]["upper"] + tiny for each, x in zip(numbers(row), truth)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("domain")
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--logs", type=int, default=10)
    parser.add_argument("--truth", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=501)
    parser.add_argument("--target", required=True, help="the domain's target policy: it acts for the truth")
    parser.add_argument("--json", help="where to put every answer, one a line")
    parser.add_argument("-o", "--output", default="-")
    options = parser.parse_args()
    counts = {"wis": 0, "arp": 0, "dr": 0, "believed": 0, "asked": 0, "warned": 0, "alone": 0, "none": 0}
    believed = {}
    with tempfile.TemporaryDirectory() as folder:
        earned = returns(simulate(options, folder, "truth.csv", options.truth, options.seed + 100000, options.target))
        question = {"quantiles": [0.1, 0.5], "cvar": [0.1], "below": [earned[len(earned) // 4]]}
        truth = truth_of(earned, question)
        for k in range(options.logs):
            path = simulate(options, folder, "logs.csv", options.episodes, options.seed + k)
            words = [word for kind, asked in question.items() for word in ("--" + kind, ",".join(f"{x!r}" for x in asked))]
            answer = json.loads(command(options, "evaluate", path, "--threads", "1", "--estimators", "naive,wis", "--json", *words))
            if options.json:
                with open(options.json, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"domain": options.domain, "truth": truth, "rows": answer["distributions"]}) + "\n")
            rows = {row["method"]: row for row in answer["distributions"]}
            for method in ("wis", "arp", "dr"):
                counts[method] += sum(map(bool, held(rows[method], truth)))
            chosen = [row for row in rows.values() if row["believed"]]
            believed[chosen[0]["method"] if chosen else "none"] = believed.get(chosen[0]["method"] if chosen else "none", 0) + 1
            for row in chosen:
                right = held(row, truth)
                warned = any(finding["severity"] != "info" for finding in row["findings"])
                counts["asked"] += len(right)
                counts["believed"] += sum(map(bool, right))
                counts["warned"] += len(right) if warned else 0
                counts["alone"] += 0 if warned else sum(not each for each in right)
    names = ", ".join(f"`{method}` {times}" for method, times in believed.items())
    text = (f"| {options.domain} | {options.episodes} | {names} | {counts['believed']} of {counts['asked']} | {counts['warned']} | "
            f"{counts['alone']} | {counts['wis']} | {counts['arp']} | {counts['dr']} |\n")
    if options.output == "-":
        print(text, end="")
    else:
        with open(options.output, "a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
