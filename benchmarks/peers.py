"""The same work on the same data, ours beside what a user would take instead: seconds of processor and of the clock.

    python3 -m venv peers && peers/bin/pip install numpy scikit-learn faiss-cpu
    PYTHONPATH=build/release/python peers/bin/python benchmarks/peers.py -o benchmarks/peers.json [--rounds 7] [--episodes 10000]
    python3 benchmarks/peers.py --table benchmarks/peers.json          the table of docs/benchmarks.md

All tasks run on one thread in one process, in turn, round by round, so that whatever else the machine does meets all of them alike. The
figures are medians over rounds, with the smallest and the largest. A library that is not installed is left out, and named. The code "in
the manner of the equations" is ours, written from the formulas of docs/methods.md, as one would write it first.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

ITERATIONS = 20  # of Lloyd's algorithm, for all


def medians(values):
    ordered = sorted(values)
    return {"median": ordered[len(ordered) // 2], "least": ordered[0], "most": ordered[-1]}


def installed(*names):
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


class Logs:
    """Simulated CartPole, as everybody gets it: plain arrays, and as the library's data set."""

    def __init__(self, episodes):
        import numpy as np
        import starope as so

        self.data = so.simulate("cartpole", episodes=episodes, seed=1)
        self.states = np.ascontiguousarray(self.data.states)
        self.rewards, self.offsets = self.data.rewards, self.data.offsets
        taken = self.data.actions
        rows = np.arange(len(taken))
        self.ratios = self.data.target_probs[rows, taken] / self.data.behavior_probs[rows, taken]
        self.standard = (self.states - self.states.mean(axis=0)) / self.states.std(axis=0)


# ---- k-means ----------------------------------------------------------------------------------------------------------------------------

def kmeans_tasks(logs, clusters):
    import numpy as np
    from starope import statistics as st

    start = logs.standard[:clusters].copy()
    star = f"star(clusters={clusters},iterations={ITERATIONS},tolerance=0)"
    tasks = {"starope, k-means": lambda: st.fit_phi(star, logs.data),
             "starope, the whole STAR estimate": lambda: evaluated(logs, f"star(clusters={clusters},clip=2,iterations={ITERATIONS},tolerance=0)")}
    try:
        from sklearn.cluster import KMeans
        tasks["scikit-learn, k-means"] = lambda: KMeans(clusters, init=start, n_init=1, max_iter=ITERATIONS, tol=0.0, algorithm="lloyd").fit(logs.standard)
    except ImportError:
        pass
    try:
        import faiss
        faiss.omp_set_num_threads(1)
        single = logs.standard.astype(np.float32)

        def by_faiss():
            made = faiss.Kmeans(single.shape[1], clusters, niter=ITERATIONS, max_points_per_centroid=len(single))
            made.train(single, init_centroids=single[:clusters].copy())
            return made.index.search(single, 1)
        tasks["FAISS, k-means in single precision"] = by_faiss
    except ImportError:
        pass
    return tasks


def evaluated(logs, estimator):
    import starope as so
    return so.evaluate(logs.data, estimators=estimator, threads=1).value


# ---- importance sampling ----------------------------------------------------------------------------------------------------------------

def wpdis_by_equations(logs):
    """sum_t ( sum_i rho_{i,0:t} r_{i,t} ) / ( sum_i rho_{i,0:t} ), episode by episode and step by step."""
    lengths = [int(b - a) for a, b in zip(logs.offsets, logs.offsets[1:])]
    weights, weighted = [0.0] * max(lengths), [0.0] * max(lengths)
    for first, length in zip(logs.offsets, lengths):
        weight = 1.0
        for t in range(max(lengths)):
            if t < length:
                weight *= logs.ratios[first + t]
                weighted[t] += weight * logs.rewards[first + t]
            weights[t] += weight
    return sum(a / b for a, b in zip(weighted, weights) if b > 0)


def wpdis_vectorized(logs):
    import numpy as np
    lengths = np.diff(logs.offsets)
    inside = np.arange(lengths.max()) < lengths[:, None]
    ratios, rewards = np.ones(inside.shape), np.zeros(inside.shape)
    ratios[inside], rewards[inside] = logs.ratios, logs.rewards
    weights = np.cumprod(ratios, axis=1)
    return float(((weights * rewards).sum(axis=0) / weights.sum(axis=0)).sum())


def wpdis_tasks(logs):
    return {"starope, with error and checks": lambda: evaluated(logs, "wpdis"), "Python, as the equations stand": lambda: wpdis_by_equations(logs),
            "NumPy, vectorized": lambda: wpdis_vectorized(logs)}


# ---- an abstract reward process from given labels ---------------------------------------------------------------------------------------

def arp_by_equations(logs, labels, cells, clip):
    import numpy as np
    start, visit, reward, leave = (np.zeros(cells) for _ in range(4))
    move = np.zeros((cells, cells))
    for first, last in zip(logs.offsets, logs.offsets[1:]):
        start[labels[first]] += 1
        for t in range(first, last):
            weight = np.prod(logs.ratios[max(first, t - clip + 1):t + 1])
            z = labels[t]
            visit[z] += weight
            reward[z] += weight * logs.rewards[t]
            if t + 1 < last:
                move[z, labels[t + 1]] += weight
            else:
                leave[z] += weight
    return arp_value(start, visit, reward, move, leave)


def arp_vectorized(logs, labels, cells, clip):
    import numpy as np
    first = np.zeros(len(labels), bool)
    first[logs.offsets[:-1]] = True
    last = np.zeros(len(labels), bool)
    last[logs.offsets[1:] - 1] = True
    age = np.arange(len(labels)) - np.repeat(logs.offsets[:-1], np.diff(logs.offsets))
    weight = logs.ratios.copy()
    for back in range(1, clip):
        weight[back:] *= np.where(age[back:] >= back, logs.ratios[:-back], 1.0)
    start = np.bincount(labels[first], minlength=cells)
    visit = np.bincount(labels, weight, cells)
    reward = np.bincount(labels, weight * logs.rewards, cells)
    leave = np.bincount(labels[last], weight[last], cells)
    inner = np.flatnonzero(~last)
    move = np.bincount(labels[inner] * cells + labels[inner + 1], weight[inner], cells * cells).reshape(cells, cells)
    return arp_value(start, visit, reward, move, leave)


def arp_value(start, visit, reward, move, leave):
    import numpy as np
    seen = move.sum(axis=1) + leave
    p = np.divide(move, seen[:, None], out=np.zeros_like(move), where=seen[:, None] > 0)
    r = np.divide(reward, visit, out=np.zeros_like(reward), where=visit > 0)
    return float(start / start.sum() @ np.linalg.solve(np.eye(len(r)) - p, r))


def arp_tasks(logs, cells, clip):
    import numpy as np
    import starope as so
    labels = (np.argsort(np.argsort(logs.states[:, 2] + logs.states[:, 3])) * cells // len(logs.states)).astype(np.int64)
    after_cuts = np.zeros(int(np.sum(logs.data.truncated)), np.int64)  # states that no estimate here looks at
    star = so.Star(labels=np.concatenate([labels, after_cuts]), clip=clip)
    return {"starope, with error and checks": lambda: so.evaluate(logs.data, estimators=star, threads=1).value,
            "Python, as the equations stand": lambda: arp_by_equations(logs, labels, cells, clip),
            "NumPy, vectorized": lambda: arp_vectorized(logs, labels, cells, clip)}


# ---- the run ----------------------------------------------------------------------------------------------------------------------------

def seconds(task):
    cpu, wall = time.process_time(), time.perf_counter()
    result = task()
    return time.process_time() - cpu, time.perf_counter() - wall, result


def measured(tasks, rounds):
    """Medians by task, and what each answered, where that is a number."""
    times, answers = {name: [] for name in tasks}, {}
    for turn in range(rounds + 1):
        for name, task in tasks.items():
            cpu, wall, answer = seconds(task)
            if turn > 0:  # the first round warms caches and imports
                times[name].append((cpu, wall))
            if isinstance(answer, float):
                answers[name] = answer
    agree = [value for value in answers.values()]
    if len(agree) > 1 and max(agree) - min(agree) > 1e-9 * abs(agree[0]):
        raise SystemExit(f"the answers differ, so the work is not the same: {answers}")
    return [{"task": name, "processor": medians([cpu for cpu, _ in each]), "clock": medians([wall for _, wall in each])} for name, each in times.items()]


def run(options):
    import starope

    logs = Logs(options.episodes)
    groups = []
    for title, tasks in ((f"k-means, 32 clusters, {ITERATIONS} iterations", kmeans_tasks(logs, 32)),
                         (f"k-means, 128 clusters, {ITERATIONS} iterations", kmeans_tasks(logs, 128)),
                         ("weighted importance sampling per decision (wpdis)", wpdis_tasks(logs)),
                         ("abstract reward process, 32 given cells, 2 ratios", arp_tasks(logs, 32, 2))):
        groups.append({"work": title, "tasks": measured(tasks, options.rounds)})
        print(title, *(f"  {each['processor']['median']:.4f} s  {each['task']}" for each in groups[-1]["tasks"]), sep="\n", flush=True)
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        processor = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    made = {"data": f"CartPole, {options.episodes:,} episodes, {len(logs.rewards):,} steps, four columns", "rounds": options.rounds, "processor": processor,
            "load": [round(each, 1) for each in os.getloadavg()],
            "versions": {"starope": starope.__version__, "python": platform.python_version(), **installed("numpy", "scikit-learn", "faiss-cpu")}, "groups": groups}
    with open(options.output, "w", encoding="utf-8") as out:
        json.dump(made, out, indent=1)
        out.write("\n")


def table(path):
    """Markdown: seconds, and how many times ours, the first task of a group, each takes."""
    with open(path, encoding="utf-8") as given:
        made = json.load(given)
    lines = []
    for group in made["groups"]:
        ours = group["tasks"][0]["processor"]["median"]
        lines += ["", f"**{group['work'][0].upper()}{group['work'][1:]}**", "", "| who | processor | least to most | clock | times the first row |", "|---|---|---|---|---|"]
        for each in group["tasks"]:
            cpu, wall = each["processor"], each["clock"]
            lines.append(f"| {each['task']} | {cpu['median'] * 1e3:,.1f} ms | {cpu['least'] * 1e3:,.1f} to {cpu['most'] * 1e3:,.1f} | "
                         f"{wall['median'] * 1e3:,.1f} ms | {cpu['median'] / ours:.2f} |")
    versions = ", ".join(f"{name} {version or 'not installed'}" for name, version in made["versions"].items())
    lines += ["", f"{made['data']}; medians of {made['rounds']} rounds, one thread; {made['processor']}, load average {made['load'][0]}; {versions}."]
    return "\n".join(lines[1:]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="peers.json")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--table", metavar="FILE.json")
    options = parser.parse_args()
    if options.table:
        sys.stdout.write(table(options.table))
    else:
        run(options)


if __name__ == "__main__":
    main()
