"""How the time and memory of an estimate grow with the number of episodes, cells, columns, steps, ratios, replicates and threads.

    PYTHONPATH=build/release/python python3 benchmarks/growth.py -o benchmarks/growth.json [--largest 10000000] [--rounds 3] [CURVE ...]
    python3 benchmarks/growth.py --table benchmarks/growth.json      the tables of docs/benchmarks.md

Logs are in memory; what is timed is starope.evaluate with one estimator, the checks of the logs included, on one thread where nothing else
is said. Every measurement is a process of its own, so that its peak of memory is its own, too: what it holds at most while it estimates, beyond the
logs. Seconds of processor are medians over rounds; the points of all curves are measured in turn, and those that take long only once.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

STAR = "star(clusters=32,clip=2)"
LONG = 20.0  # seconds: no second round for what takes more


# ---- what is measured -------------------------------------------------------------------------------------------------------------------

def point(at, estimator, *, domain="cartpole", episodes=10_000, horizon=50, columns=None, **more):
    """`at`: where on its curve; `more`: further arguments of starope.evaluate."""
    return {"at": at, "estimator": estimator, "domain": domain, "episodes": episodes, "horizon": horizon, "columns": columns, "more": {"threads": 1, **more}}


def curves(largest):
    sizes = [n for n in (100, 1000, 10_000, 100_000, 1_000_000, 10_000_000) if n <= largest]
    carts = [n for n in sizes if n <= 1_000_000]  # 22 million steps
    made = {f"episodes, {each}": [point(n, each, episodes=n) for n in carts] for each in ("naive", "wpdis", STAR)}
    made["episodes, auto"] = [point(n, "auto", episodes=n) for n in carts if n <= 100_000]
    for each in ("wpdis", "star(phi=identity,clip=2)"):
        made[f"episodes of two steps, {each}"] = [point(n, each, domain="model-fail", episodes=n, horizon=2) for n in sizes]
    made["cells, star(clusters=K,clip=2), 10,000 episodes"] = [point(k, f"star(clusters={k},clip=2)") for k in (8, 32, 128, 512)]
    made["ratios, star(clusters=32,clip=c), 10,000 episodes"] = [point(c, f"star(clusters=32,clip={c})") for c in (1, 2, 4, 8, 16, "none")]
    for each in (STAR, "auto"):
        made[f"columns, {each}, 2,000 episodes"] = [point(d, each, columns=d, episodes=2000, horizon=20) for d in (2, 4, 8, 16, 32, 64)]
    made["steps that count, auto, 1,000 episodes"] = [point(h, "auto", episodes=1000, horizon=h) for h in (10, 20, 50, 100, 200)]
    made[f"replicates, bootstrap of {STAR}, 1,000 episodes"] = [
        point(b, STAR, episodes=1000, interval=f"bootstrap-percentile(replicates={b})") for b in (100, 1000, 10_000)]
    for each in (STAR, "auto"):
        made[f"threads, {each}, 10,000 episodes"] = [point(t, each, threads=t) for t in (1, 2)]
    return made


def numbers(columns, episodes, steps):
    """Logs whose state is that many random numbers, of which the first two say what pays."""
    import numpy as np
    import starope as so

    rng = np.random.default_rng(columns)
    states = np.cumsum(rng.normal(size=(episodes, steps, columns)), axis=1).reshape(-1, columns) / np.sqrt(steps)
    actions = rng.integers(0, 2, len(states))
    rewards = np.where(actions == (states[:, 0] > 0), 1.0, 0.0) + 0.1 * states[:, 1]
    likely = np.where(states[:, 0] > 0, 0.8, 0.2)
    target = np.stack([1 - likely, likely], axis=1)
    return so.Dataset(state=states, action=actions, reward=rewards, behavior_probs=np.full((len(states), 2), 0.5), target=target,
                      offsets=np.arange(0, len(states) + 1, steps))


# ---- one measurement, in a process of its own -------------------------------------------------------------------------------------------

def memory(field):
    """In bytes: 'VmRSS', what the process holds, or 'VmHWM', the most it has held."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def measure(given):
    import starope as so

    size = given["episodes"], given["horizon"]
    data = numbers(given["columns"], *size) if given["columns"] else so.simulate(given["domain"], episodes=size[0], horizon=size[1], seed=1)
    so.evaluate(data.take(range(50)), estimators="naive", threads=1)  # what is loaded once
    Path("/proc/self/clear_refs").write_text("5")                    # from here on the most is counted anew
    held, cpu, wall = memory("VmRSS"), time.process_time(), time.perf_counter()
    so.evaluate(data, horizon=size[1], estimators=given["estimator"], **given["more"])
    return {"processor": time.process_time() - cpu, "clock": time.perf_counter() - wall, "bytes": max(0, memory("VmHWM") - held), "steps": data.steps}


def measured_apart(given):
    done = subprocess.run([sys.executable, __file__, "--point", json.dumps(given)], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


# ---- the run ----------------------------------------------------------------------------------------------------------------------------

def median(of, name):
    ordered = sorted(each[name] for each in of)
    return ordered[len(ordered) // 2]


def measured(listed, rounds):
    found = {name: [[] for _ in points] for name, points in listed.items()}
    for turn in range(rounds):
        for name, points in listed.items():
            for place, given in enumerate(points):
                before = found[name][place]
                if before and before[0]["processor"] > LONG:
                    continue
                before.append(measured_apart(given))
                print(f"round {turn + 1}: {name}: {given['at']}: {before[-1]['processor']:.3f} s, {before[-1]['bytes'] / 1e6:,.0f} MB", file=sys.stderr, flush=True)
    return {name: [{"at": given["at"], "steps": each[0]["steps"], **{what: median(each, what) for what in ("processor", "clock", "bytes")}}
                   for given, each in zip(points, found[name])] for name, points in listed.items()}


def run(options):
    import starope

    listed = {name: points for name, points in curves(options.largest).items() if not options.curves or any(each in name for each in options.curves)}
    found = measured(listed, options.rounds)
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        processor = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    with open(options.output, "w", encoding="utf-8") as out:
        json.dump({"rounds": options.rounds, "processor": processor, "load": [round(each, 1) for each in os.getloadavg()], "starope": starope.__version__,
                   "curves": found}, out, indent=1)
        out.write("\n")


# ---- tables -----------------------------------------------------------------------------------------------------------------------------

def shown(value):
    return f"{float(format(value, '.2g')):,g}"


def table(path):
    with open(path, encoding="utf-8") as given:
        made = json.load(given)
    lines = []
    for curve, points in made["curves"].items():
        over, _, of = curve.partition(", ")
        rows = {over: [f"{each['at']:,}" if isinstance(each["at"], int) else str(each["at"]) for each in points],
                "processor": [f"{shown(each['processor'])} s" for each in points],
                "for each step": [f"{shown(1e6 * each['processor'] / each['steps'])} us" for each in points],
                "memory beyond the logs": [f"{shown(each['bytes'] / 1e6)} MB" for each in points]}
        if over == "threads":
            rows["clock"] = [f"{shown(each['clock'])} s" for each in points]
        lines += ["", f"**{of}**"]
        for place, (name, cells) in enumerate(rows.items()):
            lines += [""] if place == 0 else []
            lines.append("| " + " | ".join([name, *cells]) + " |")
            lines += ["|---" * (len(points) + 1) + "|"] if place == 0 else []
    lines += ["", f"Medians of {made['rounds']} rounds, and one of what took more than {LONG:g} s; {made['processor']}, load average {made['load'][0]}; starope {made['starope']}."]
    return "\n".join(lines[1:]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curves", nargs="*", metavar="CURVE", help="only curves with this in their name")
    parser.add_argument("-o", "--output", default="growth.json")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", type=int, default=10_000_000)
    parser.add_argument("--table", metavar="FILE.json")
    parser.add_argument("--point", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.table:
        sys.stdout.write(table(options.table))
    elif options.point:
        json.dump(measure(json.loads(options.point)), sys.stdout)
    else:
        run(options)


if __name__ == "__main__":
    main()
