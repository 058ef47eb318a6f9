#!/usr/bin/env python3
"""Turns the summary of a study (starope study ... --json) into the tables of docs/results.md.

    study_tables.py SUMMARY.json MARK docs/results.md [RESULTS.jsonl docs/findings.md]

The lines between <!-- MARK --> and <!-- /MARK --> are replaced. With the results of the study and the page of findings, the table also
counts how many intervals of `auto` hold the truth and have a warning, and how many miss it without one.
"""

import json
import re
import sys

CLASSICAL = ["naive", "is", "pdis", "wis", "wpdis"]


def short(x):
    """Two digits are all that a few hundred trials can tell."""
    if x == 0:
        return "0"
    if abs(x) >= 1e5 or abs(x) < 1e-4:
        return f"{x:.1e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{float(f'{x:.2g}'):.10f}".rstrip("0").rstrip(".")


def find(case, name):
    return next((e for e in case["estimators"] if e["estimator"] == name), None)


def cell(estimate):
    if estimate is None:
        return ""
    if "mse" not in estimate or estimate["mse"] is None:
        return "failed"
    return f"{short(estimate['mse'])} ± {short(estimate['mse_std_error'])}"


def others(case):
    """Estimators that are neither classical, nor auto, nor members of a grid: Q-functions and what is built on them."""
    return [e for e in case["estimators"]
            if e["estimator"] not in CLASSICAL + ["auto"] and not e["estimator"].startswith("star(")]


def best_other(case):
    finished = [e for e in others(case) if e.get("mse") is not None and e["failures"] == 0]
    return min(finished, key=lambda e: e["mse"], default=None)


def best_and_median(case, grid=0):
    """Of a grid of stars, in the order of the study; without grids, of all stars."""
    if case["families"]:
        found = case["families"][grid:grid + 1]
        return [find(case, found[0][which]) if found else None for which in ("best", "median")]
    stars = [e for e in case["estimators"] if e["estimator"].startswith("star(") and e.get("mse") is not None]
    stars.sort(key=lambda e: e["mse"])
    return [stars[0], stars[(len(stars) - 1) // 2]] if stars and grid == 0 else [None, None]


def compared(case):
    """The estimators of a row, in the order of its columns."""
    return [find(case, name) for name in ["auto"] + CLASSICAL] + best_and_median(case)


def with_the_best_bold(estimates):
    errors = [e["mse"] for e in estimates if e and e.get("mse") is not None]
    return [f"**{cell(e)}**" if e and e.get("mse") == min(errors) else cell(e) for e in estimates]


def notes(page):
    """Codes of findings that may be no more than a note. For `auto` they are: who has them as warnings are other estimators."""
    with open(page, encoding="utf-8") as lines:
        rows = [re.match(r"\| `(\w+)` \| ([a-z/]+) \|", line) for line in lines]
    return {found[1] for found in rows if found and "info" in found[2].split("/")}


def outcomes(results, harmless):
    """By case (domain, size): how many answers of `auto` hold the truth and are warned of, and how many miss it in silence."""
    truths, counts = {}, {}
    with open(results, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if line["kind"] == "truth":
                truths[line["domain"]] = line["value"]
            if line["kind"] != "result" or line["estimator"] != "auto" or "value" not in line:
                continue
            case = counts.setdefault((line["domain"], line["size"]), {"warned_hits": 0, "silent_misses": 0})
            interval = line.get("interval")
            holds = interval is not None and interval["lower"] <= truths[line["domain"]] <= interval["upper"]
            warned = interval is None or any(code not in harmless for code in line["findings"])
            case["warned_hits"] += holds and warned
            case["silent_misses"] += not holds and not warned
    return counts


def row(case, counts=None):
    auto = find(case, "auto")
    bias = auto["mean"] - case["truth"]["value"]
    cells = with_the_best_bold(compared(case))
    counted = [f"{counts[case['domain'], case['size']][which]}" for which in ("warned_hits", "silent_misses")] if counts else []
    return [f"{case['domain']} {case['size']:,}", f"{auto['trials']}", cells[0], short(bias), f"{auto['coverage']:.2f}"] + counted + cells[1:]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(r) + " |" for r in rows]


def main_table(cases, counts=None):
    header = ["case", "trials", "`auto`", "its bias", "its coverage"] + (["covered with a warning", "missed without one"] if counts else [])
    header += [f"`{name}`" for name in CLASSICAL] + ["best STAR", "median STAR"]
    rows = [row(case, counts) for case in cases]
    filled = [k for k in range(len(header)) if any(each[k] for each in rows)]  # nobody asked the others
    return table([header[k] for k in filled], [[each[k] for k in filled] for each in rows])


def baseline_table(cases):
    header = ["case", "best with a Q-function", "", "best STAR", "", "median", "random centroids: best / median", "wins",
              "paper: best / median STAR", "paper: best baseline"]
    rows = []
    for case in cases:
        best, paper = best_other(case), case.get("paper") or {}
        star, median = best_and_median(case)
        drawn = [short(e["mse"]) for e in best_and_median(case, grid=1) if e]
        below = "<" if paper.get("star_best_below") else ""
        rows.append([
            f"{case['domain']} {case['size']:,}", f"`{best['estimator']}`" if best else "", cell(best),
            f"`{star['estimator']}`".replace(",horizon=none", ""), cell(star), cell(median), " / ".join(drawn),
            f"`{case['winner']}`".replace(",horizon=none", ""),
            f"{below}{short(paper['star_best'])} / {short(paper['star_median'])}" if paper else "",
            f"{paper['baseline']} {short(paper['baseline_best'])}" if paper else ""])
    return table(header, rows)


def seconds(cases):
    total = sum(e["seconds"] * e["trials"] for case in cases for e in case["estimators"] if e.get("seconds"))
    return [f"Processor time of all estimates together, without simulation: {total / 60:.0f} minutes."]


def main(summary_file, mark, page, results=None, findings=None):
    with open(summary_file, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    lines = main_table(cases, outcomes(results, notes(findings)) if results else None)
    if any(others(case) for case in cases):
        lines += [""] + baseline_table(cases)
    lines += [""] + seconds(cases)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n".join(lines) + "\n" + end + after)


if __name__ == "__main__":
    main(*sys.argv[1:])
