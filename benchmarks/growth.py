"""How the cost of an estimate grows with the number of episodes, cells, columns, steps, ratios, replicates and threads.

    PYTHONPATH=build/release/python python3 benchmarks/growth.py -o benchmarks/growth.json [--largest 100000] [--rounds 3]
    python3 benchmarks/growth.py --table benchmarks/growth.json      the tables of docs/benchmarks.md

Logs are in memory; what is timed is starope.evaluate with one estimator, the checks of the logs included, on one thread where nothing else
is said. Seconds of processor, medians over rounds; the points of all curves are measured in turn, round by round.
"""

import argparse
import json
import os
import platform
import sys
import time

STAR = "star(clusters=32,clip=2)"


def curves(largest):
    """Every curve: what it is over, and for every point the logs (domain, episodes, horizon), the estimator and further arguments."""
    def cartpole(n, horizon=50):
        return "cartpole", n, horizon

    sizes = [n for n in (100, 1000, 10_000, 100_000, 1_000_000) if n <= largest]
    return {
        "episodes, naive": [(n, cartpole(n), "naive", {}) for n in sizes],
        "episodes, wpdis": [(n, cartpole(n), "wpdis", {}) for n in sizes],
        f"episodes, {STAR}": [(n, cartpole(n), STAR, {}) for n in sizes],
        "episodes, auto": [(n, cartpole(n), "auto", {}) for n in sizes if n <= 10_000],
        "cells, star(clusters=K,clip=2), 10,000 episodes": [(k, cartpole(10_000), f"star(clusters={k},clip=2)", {}) for k in (8, 32, 128, 512)],
        "ratios, star(clusters=32,clip=c), 10,000 episodes": [(c, cartpole(10_000), f"star(clusters=32,clip={c})", {}) for c in (1, 2, 4, 8, 16, "none")],
        "steps that count, auto, 1,000 episodes": [(h, cartpole(1000, h), "auto", {}) for h in (10, 20, 50, 100, 200)],
        f"replicates, bootstrap of {STAR}, 1,000 episodes": [(b, cartpole(1000), STAR, {"interval": f"bootstrap-percentile(replicates={b})"})
                                                            for b in (100, 200, 400, 800)],
        f"threads, {STAR}, {sizes[-1]:,} episodes": [(t, cartpole(sizes[-1]), STAR, {"threads": t}) for t in (1, 2)],
    }


def measured(options):
    import starope as so

    made = {}

    def logs(domain, episodes, horizon):
        if (domain, episodes, horizon) not in made:
            made[domain, episodes, horizon] = so.simulate(domain, episodes=episodes, horizon=horizon, seed=1)
        return made[domain, episodes, horizon]

    points = [(curve, *point) for curve, listed in curves(options.largest).items() for point in listed]
    times = {(curve, at): [] for curve, at, *_ in points}
    for turn in range(options.rounds):
        for curve, at, where, estimator, more in points:
            data = logs(*where)
            cpu, wall = time.process_time(), time.perf_counter()
            so.evaluate(data, horizon=where[2], estimators=estimator, **{"threads": 1, **more})
            times[curve, at].append((time.process_time() - cpu, time.perf_counter() - wall, data.steps))
            print(f"round {turn + 1}: {curve}: {at}: {times[curve, at][-1][0]:.3f} s", file=sys.stderr, flush=True)
    middle = options.rounds // 2
    return {curve: [{"at": at, "steps": times[curve, at][0][2], "processor": sorted(each[0] for each in times[curve, at])[middle],
                     "clock": sorted(each[1] for each in times[curve, at])[middle]} for at, *_ in listed]
            for curve, listed in curves(options.largest).items()}


def run(options):
    import starope

    found = measured(options)
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        processor = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    with open(options.output, "w", encoding="utf-8") as out:
        json.dump({"rounds": options.rounds, "processor": processor, "load": [round(each, 1) for each in os.getloadavg()], "starope": starope.__version__,
                   "curves": found}, out, indent=1)
        out.write("\n")


def table(path):
    with open(path, encoding="utf-8") as given:
        made = json.load(given)
    lines = []
    for curve, points in made["curves"].items():
        over, _, of = curve.partition(", ")
        lines += ["", f"`{of}`" if "," not in of or of == STAR else of, "",
                  "| " + over + " | " + " | ".join(f"{each['at']:,}" if isinstance(each["at"], int) else str(each["at"]) for each in points) + " |",
                  "|---" * (len(points) + 1) + "|",
                  "| processor | " + " | ".join(f"{each['processor']:.3g} s" for each in points) + " |",
                  "| for each step | " + " | ".join(f"{float(format(each['processor'] / each['steps'] * 1e6, '.2g')):g} us" for each in points) + " |"]
        if over == "threads":
            lines.append("| clock | " + " | ".join(f"{each['clock']:.3g} s" for each in points) + " |")
    lines += ["", f"Medians of {made['rounds']} rounds; {made['processor']}, load average {made['load'][0]}; starope {made['starope']}."]
    return "\n".join(lines[1:]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="growth.json")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", type=int, default=100_000)
    parser.add_argument("--table", metavar="FILE.json")
    options = parser.parse_args()
    if options.table:
        sys.stdout.write(table(options.table))
    else:
        run(options)


if __name__ == "__main__":
    main()
