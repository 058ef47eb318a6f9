#!/usr/bin/env python3
"""Tables of what judge.py wrote: error, bias, coverage, width and findings per world and size, and the summary.

    tables.py RESULTS.jsonl [--before OTHER.jsonl] [--truths TRUTHS.csv] > page.md

An interval covers if the truth, give or take 1.96 of its own standard errors, lies in it. A log is warned if `auto` or the
data carry a finding of severity warning or critical; a miss without one is silent. The error of an estimator in a cell (a
world and a size) is the root of the mean squared error over the logs it answered; the best with hindsight is the smallest of
them among the estimators that answered every log of the cell (logs on which the program as a whole failed are counted, and
left out).
"""

import argparse
import math
import statistics
from collections import Counter, defaultdict
from pathlib import Path

import judge

LOUD = ("warning", "critical")
ANSWER = "auto"


def answered(line, name):
    """The estimate of that name, or None if it failed on this log."""
    for estimate in line["estimates"]:
        if estimate["estimator"] == name and estimate.get("value") is not None:
            return estimate
    return None


def covers(estimate, truth):
    if estimate.get("lower") is None:
        return False
    slack = 1.96 * truth["std_error"]
    return estimate["lower"] - slack <= truth["value"] <= estimate["upper"] + slack


def warned(line, estimate):
    return any(severity in LOUD for severity, _ in line["data"] + estimate["findings"])


def cells(lines):
    grouped = defaultdict(list)
    for line in lines:
        grouped[(line["world"], line["size"])].append(line)
    return dict(grouped)


def rmse(values, truth):
    return math.sqrt(statistics.fmean((value - truth) ** 2 for value in values))


def cell_summary(lines, truth, names):
    """All figures of one cell, as a dictionary."""
    errors = {}
    for name in names:
        found = [answered(line, name) for line in lines if line["estimates"]]
        errors[name] = rmse([e["value"] for e in found], truth["value"]) if found and all(found) else None
    pairs = [(line, e) for line in lines if (e := answered(line, ANSWER))]
    hits = [covers(e, truth) for _, e in pairs]
    loud = [warned(line, e) for line, e in pairs]
    best = min((error, name) for name, error in errors.items() if error is not None) if any(
        error is not None for error in errors.values()) else (None, None)
    own = errors.get(ANSWER)
    return {"logs": len(lines), "failed": len(lines) - len(pairs), "errors": errors, "best": best[1],
            "ratio": None if own is None else (own / best[0] if best[0] > 0 else 1.0),
            "bias": statistics.fmean(e["value"] - truth["value"] for _, e in pairs) if pairs else None,
            "width": statistics.fmean(e["upper"] - e["lower"] for _, e in pairs if e.get("lower") is not None) if any(
                e.get("lower") is not None for _, e in pairs) else None,
            "hits": sum(hits), "silent": sum(not hit and not noise for hit, noise in zip(hits, loud)),
            "warned_hits": sum(hit and noise for hit, noise in zip(hits, loud)), "warned": sum(loud)}


def finding_counts(lines, truths):
    """(severity, code) -> [logs that miss, logs that cover] on which `auto` or the data carry it; and the numbers of both."""
    counts, totals = defaultdict(lambda: [0, 0]), [0, 0]
    for line in lines:
        if estimate := answered(line, ANSWER):
            place = 1 if covers(estimate, truths[line["world"]]) else 0
            totals[place] += 1
            for finding in {tuple(f) for f in line["data"] + estimate["findings"]}:
                counts[finding][place] += 1
    return dict(counts), totals


def overall(summaries):
    """The aims: shares over logs and cells."""
    logs = sum(c["logs"] - c["failed"] for c in summaries)
    hits = sum(c["hits"] for c in summaries)
    ratios = [c["ratio"] for c in summaries if c["ratio"] is not None]
    quiet = [c["ratio"] for c in summaries if c["ratio"] is not None and c["warned"] < c["logs"] - c["failed"]]
    wins = Counter(c["best"] for c in summaries if c["best"])
    return {"cells": len(summaries), "logs": logs, "failed": sum(c["failed"] for c in summaries), "covered": hits / max(logs, 1),
            "cells_at_90": sum(c["hits"] >= 0.9 * (c["logs"] - c["failed"]) for c in summaries) / len(summaries),
            "silent": sum(c["silent"] for c in summaries) / max(logs, 1),
            "warned_hits": sum(c["warned_hits"] for c in summaries) / hits if hits else 0.0,
            "median_ratio": statistics.median(ratios) if ratios else None, "worst_ratio": max(ratios, default=None),
            "worst_quiet_ratio": max(quiet, default=None),
            "wins": wins}


def compared(lines, before, truths):
    """Against an earlier run on the same logs: median ratio of widths where the earlier interval covers, and the geometric
    mean over cells of the ratio of root mean squared errors."""
    earlier = {(line["world"], line["size"], line["seed"]): answered(line, ANSWER) for line in before}
    widths, squares = [], defaultdict(lambda: [[], []])
    for line in lines:
        new, old, truth = answered(line, ANSWER), earlier.get((line["world"], line["size"], line["seed"])), truths[line["world"]]
        if not new or not old:
            continue
        squares[(line["world"], line["size"])][0].append(new["value"])
        squares[(line["world"], line["size"])][1].append(old["value"])
        if covers(old, truth) and old["upper"] > old["lower"]:
            widths.append((new["upper"] - new["lower"]) / (old["upper"] - old["lower"]))
    logs = {cell: (rmse(new, truths[cell[0]]["value"]), rmse(old, truths[cell[0]]["value"])) for cell, (new, old) in squares.items()}
    steps = [math.log(new / old) for new, old in logs.values() if new > 0 and old > 0]
    return {"width_ratio": statistics.median(widths) if widths else None, "hits_before": len(widths),
            "error_ratio": math.exp(statistics.fmean(steps)) if steps else None, "errors": logs}


def short(number):
    """Three digits; empty for what is not there."""
    if number is None:
        return ""
    return f"{number:.3g}" if abs(number) < 1e4 else f"{number:.2e}"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def page(lines, truths, before=None):
    names = list(dict.fromkeys(e["estimator"] for line in lines for e in line["estimates"]))
    order = list(truths)
    grouped = cells(lines)
    keys = sorted(grouped, key=lambda key: (order.index(key[0]), key[1]))
    summaries = {key: cell_summary(grouped[key], truths[key[0]], names) for key in keys}
    total = overall(list(summaries.values()))
    against = compared(lines, before, truths) if before else None
    out = ["## Summary", ""]
    rows = [["logs answered (cells)", f"{total['logs']} ({total['cells']}), {total['failed']} failed"],
            ["covered", f"{total['covered']:.2f} of logs; at least 0.90 in {total['cells_at_90']:.2f} of cells"],
            ["silent misses", f"{total['silent']:.3f} of logs"],
            ["warnings on covered logs", f"{total['warned_hits']:.2f}"],
            ["error of auto / best with hindsight", f"median {short(total['median_ratio'])}, worst {short(total['worst_ratio'])}, "
             f"worst where not every log is warned {short(total['worst_quiet_ratio'])}"],
            ["best in how many cells", ", ".join(f"`{name}` {count}" for name, count in total["wins"].most_common())]]
    if against:
        rows += [["width / before, where before covers", f"{short(against['width_ratio'])} (median of {against['hits_before']} logs)"],
                 ["error / before", f"{short(against['error_ratio'])} (geometric mean over cells)"]]
    out += table(["", ""], rows)
    out += ["## Error (root mean squared) of every estimator", ""]
    out += table(["world", "n", "truth"] + [f"`{name}`" for name in names] + ["auto / best"] + (["before"] if against else []),
                 [[world, str(size), short(truths[world]["value"])]
                  + [("**%s**" if name == c["best"] else "%s") % (short(c["errors"][name]) or "failed") for name in names]
                  + [short(c["ratio"])] + ([short(against["errors"].get((world, size), (None, None))[1])] if against else [])
                  for (world, size), c in summaries.items()])
    out += ["## `auto`: bias, coverage, width, findings", ""]
    out += table(["world", "n", "bias", "error", "covered", "mean width", "silent misses", "warned hits", "warned"],
                 [[world, str(size), short(c["bias"]), short(c["errors"][ANSWER]), f"{c['hits']}/{c['logs'] - c['failed']}",
                   short(c["width"]), str(c["silent"]), str(c["warned_hits"]), str(c["warned"])]
                  for (world, size), c in summaries.items()])
    counts, (misses, hits) = finding_counts(lines, truths)
    out += [f"## Findings of `auto` and of the data on {misses} misses and {hits} hits", ""]
    out += table(["finding", "severity", "on misses", "on hits"],
                 [[f"`{code}`", severity, str(on[0]), str(on[1])]
                  for (severity, code), on in sorted(counts.items(), key=lambda item: (-item[1][0], -item[1][1], item[0]))])
    failures = [f"* {line['world']} {line['size']} {line['seed']}: {line['error']}" for line in lines if "error" in line]
    return "\n".join(out + (["## Logs without an answer", ""] + failures + [""] if failures else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--before", type=Path, help="results of an earlier version on the same logs")
    parser.add_argument("--truths", type=Path, default=judge.TRUTHS, help="what the worlds are and what their policies earn")
    options = parser.parse_args()
    before = judge.read_lines(options.before) if options.before else None
    print(page(judge.read_lines(options.results), judge.read_truths(options.truths), before))


if __name__ == "__main__":
    main()
