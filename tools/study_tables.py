#!/usr/bin/env python3
"""Turns the summary of a study (starope study ... --json) into the tables of docs/results.md.

    study_tables.py SUMMARY.json MARK docs/results.md

The lines between <!-- MARK --> and <!-- /MARK --> are replaced.
"""

import json
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


def row(case):
    auto = find(case, "auto")
    bias = auto["mean"] - case["truth"]["value"]
    cells = with_the_best_bold(compared(case))
    return [f"{case['domain']} {case['size']:,}", f"{auto['trials']}", cells[0], short(bias), f"{auto['coverage']:.2f}"] + cells[1:]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(r) + " |" for r in rows]


def main_table(cases):
    header = ["case", "trials", "`auto`", "its bias", "its coverage"] + [f"`{name}`" for name in CLASSICAL]
    return table(header + ["best STAR", "median STAR"], [row(case) for case in cases])


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


def main(summary_file, mark, page):
    with open(summary_file, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    lines = main_table(cases)
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
