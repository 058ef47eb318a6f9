"""Other libraries for off-policy evaluation beside ours: what each says of the same simulated logs, how far that is from the truth, and how long it takes.

    python3.11 -m venv peers && peers/bin/pip install "numpy<2" d3rlpy scope-rl offline_rl_ope jaxtyping typeguard==2.13.3
    PYTHONPATH=build/release/python peers/bin/python benchmarks/peers_ope.py -o benchmarks/peers_ope.json [--logs 10] [--keep FOLDER]
    python3.12 -m venv hopes && hopes/bin/pip install hopes && hopes/bin/python benchmarks/peers_ope.py --from FOLDER -o hopes.json
    python3 benchmarks/peers_ope.py --table benchmarks/peers_ope.json [MORE.json]     the table of docs/results.md; --times that of docs/benchmarks.md

A library that wants another Python gets the logs of the first run: `--keep FOLDER` writes them, `--from FOLDER` reads them, and needs no starope.
Everything runs on one thread, in turn, log by log. A library that is not installed is left out; one that refuses a log is shown with its reason.

What each gets: states, actions, rewards, and both policies' probabilities of all actions; the discount is 1 and the horizon is that of the world.
Q-functions of d3rlpy know neither a horizon nor a random target policy. So the number of the step is one more column of the state, columns are
standardized, a cut at the horizon is an end, and next actions are drawn from the logged distribution of the target policy: then its fitted Q evaluation is the right one for
these questions. Libraries that want episodes of one length get rows behind the end of an episode, with reward 0 and ratio 1.
"""

import argparse
import json
import logging
import os
import platform
import statistics
import sys
import time
from pathlib import Path

from peers import installed

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

WORLDS = ("cartpole", "reservoir", "inventory")
EPISODES = 100
OURS = ("auto", "naive", "wis", "pdis", "wpdis", "star(clusters=32,clip=1,truncation=censor)", "fqe(features=rbf)", "fqe(features=mlp)",
        "dr(q=fqe,features=rbf)", "wdr(q=fqe,features=rbf)", "magic(q=fqe,features=rbf)")
# 60 updates of the target network, for horizons of 30 to 50 steps. The learning rate is ten times d3rlpy's default, with which values grow without end.
FQE_STEPS = 6_000
FQE_RATE = 0.001


class Log:
    """Plain arrays, as everybody gets them."""

    def __init__(self, arrays):
        import numpy as np

        self.arrays = arrays
        self.states, self.actions, self.rewards = arrays["states"], arrays["actions"].astype(int), arrays["rewards"]
        self.offsets, self.behavior, self.target = arrays["offsets"], arrays["behavior_probs"], arrays["target_probs"]
        self.horizon, self.count = int(arrays["horizon"]), self.target.shape[1]
        self.episodes = len(self.offsets) - 1
        self.lengths = np.diff(self.offsets)
        self.step = np.arange(len(self.rewards)) - np.repeat(self.offsets[:-1], self.lengths)
        timed = np.concatenate([self.states, self.step[:, None]], axis=1)
        self.timed = ((timed - timed.mean(axis=0)) / timed.std(axis=0)).astype(np.float32)

    @staticmethod
    def simulated(world, seed):
        import numpy as np
        import starope as so

        data = so.simulate(world, episodes=EPISODES, seed=seed)
        horizon = next(each["horizon"] for each in so.domains() if each["name"] == world)
        return data, Log({"states": np.array(data.states), "actions": np.array(data.actions), "rewards": np.array(data.rewards),
                          "offsets": np.array(data.offsets), "behavior_probs": np.array(data.behavior_probs), "target_probs": np.array(data.target_probs),
                          "horizon": np.array(horizon)})

    def padded(self, values, behind):
        """Episodes of one length: (episodes * horizon, ...), with `behind` after the end of an episode."""
        import numpy as np

        full = np.full((self.episodes, self.horizon, *values.shape[1:]), behind, dtype=values.dtype)
        full[np.arange(self.horizon) < self.lengths[:, None]] = values
        return full.reshape(self.episodes * self.horizon, *values.shape[1:])


# ---- starope ----------------------------------------------------------------------------------------------------------------------------

def our_tasks(data, log):
    import starope as so

    def asked(estimator):
        return lambda: so.evaluate(data, estimators=estimator, horizon=log.horizon, threads=1).value
    return {f"starope: {each}": asked(each) for each in OURS}


# ---- d3rlpy -----------------------------------------------------------------------------------------------------------------------------

class TargetPolicy:
    """Stands for the algorithm that d3rlpy evaluates: draws actions of logged states from their logged distribution."""

    def __init__(self, log, seed):
        import numpy as np

        self.rng = np.random.default_rng(seed)
        self.of_state = {row.tobytes(): p for row, p in zip(log.timed, log.target)}
        self.nothing = np.full(log.count, 1.0 / log.count)  # behind an end; its value is not used
        self.impl = self

    def predict_best_action(self, x):
        import numpy as np
        import torch

        p = np.stack([self.of_state.get(row.tobytes(), self.nothing) for row in x.numpy()])
        return torch.tensor((self.rng.random(len(p))[:, None] > p.cumsum(axis=1)).sum(axis=1).clip(0, p.shape[1] - 1))


def fitted_q(log):
    """Q of all actions in all logged steps, by d3rlpy's fitted Q evaluation."""
    import d3rlpy
    import numpy as np
    import structlog
    import torch

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    torch.set_num_threads(1)
    d3rlpy.seed(1)
    ends = np.zeros(len(log.rewards), np.float32)
    ends[log.offsets[1:] - 1] = 1.0
    logs = d3rlpy.dataset.MDPDataset(log.timed, log.actions[:, None], log.rewards[:, None].astype(np.float32), ends, action_size=log.count,
                                     action_space=d3rlpy.ActionSpace.DISCRETE)
    fqe = d3rlpy.ope.DiscreteFQE(TargetPolicy(log, 1), d3rlpy.ope.FQEConfig(learning_rate=FQE_RATE, gamma=1.0))
    fqe.fit(logs, n_steps=FQE_STEPS, n_steps_per_epoch=FQE_STEPS, show_progress=False, logger_adapter=d3rlpy.logging.NoopAdapterFactory())
    return np.stack([fqe.predict_value(log.timed, np.full(len(log.timed), a)) for a in range(log.count)], axis=1).astype(float)


def value_at_start(log, q):
    return float((log.target * q).sum(axis=1)[log.offsets[:-1]].mean())


def d3rlpy_tasks(log, learned):
    import d3rlpy  # noqa: F401

    def task():
        learned["q"] = fitted_q(log)
        return value_at_start(log, learned["q"])
    return {"d3rlpy: FQE": task}


# ---- SCOPE-RL ---------------------------------------------------------------------------------------------------------------------------

def scope_tasks(log, learned):
    import numpy as np
    from scope_rl.ope import OffPolicyEvaluation
    from scope_rl.ope import discrete

    taken = log.behavior[np.arange(len(log.actions)), log.actions]
    first_action = np.eye(log.count)[0]
    logged = {"size": log.episodes * log.horizon, "n_trajectories": log.episodes, "step_per_trajectory": log.horizon, "action_type": "discrete",
              "n_actions": log.count, "action_dim": None, "state_dim": log.states.shape[1], "state": log.padded(log.states, 0.0),
              "action": log.padded(log.actions, 0), "reward": log.padded(log.rewards, 0.0), "pscore": log.padded(taken, 1.0),
              "done": np.zeros(log.episodes * log.horizon), "terminal": np.zeros(log.episodes * log.horizon), "dataset_id": 0, "behavior_policy": "logged"}
    target = log.padded(log.target, 0.0)
    target[target.sum(axis=1) == 0.0] = first_action  # ratio 1 behind an end

    def asked(estimator, with_q=False):
        def task():
            values = log.padded(learned["q"], 0.0) if with_q else None
            given = {"evaluation_policy_action": None, "evaluation_policy_action_dist": target, "state_action_value_prediction": values,
                     "initial_state_value_prediction": None, "on_policy_policy_value": None, "gamma": 1.0}
            # Rewards behind an end are 0 already; SCOPE-RL would also drop the one at the end.
            ope = OffPolicyEvaluation(logged_dataset=logged, ope_estimators=[estimator], disable_reward_after_done=False)
            return float(ope.estimate_policy_value(input_dict={"target": given})["target"][estimator.estimator_name])
        return task
    return {"SCOPE-RL: TIS": asked(discrete.TrajectoryWiseImportanceSampling()), "SCOPE-RL: PDIS": asked(discrete.PerDecisionImportanceSampling()),
            "SCOPE-RL: SNTIS": asked(discrete.SelfNormalizedTIS()), "SCOPE-RL: SNPDIS": asked(discrete.SelfNormalizedPDIS()),
            "SCOPE-RL: DM (Q of d3rlpy)": asked(discrete.DirectMethod(), True), "SCOPE-RL: DR (Q of d3rlpy)": asked(discrete.DoublyRobust(), True),
            "SCOPE-RL: SNDR (Q of d3rlpy)": asked(discrete.SelfNormalizedDR(), True)}


# ---- offline_rl_ope ---------------------------------------------------------------------------------------------------------------------

def offline_tasks(log, learned):
    import numpy as np
    import torch
    from offline_rl_ope.api.StandardEstimators.DR import WDR, VanillaDR
    from offline_rl_ope.api.StandardEstimators.IS import PDWIS, WIS, VanillaISPDIS
    from offline_rl_ope.components.ImportanceSampler import ISWeightOrchestrator
    from offline_rl_ope.components.Policy import NumpyPolicyFuncWrapper, Policy
    from offline_rl_ope.OPEEstimators import DirectMethodBase
    from offline_rl_ope.types import NumpyPolicyReturn

    def pieces(values):
        return [torch.tensor(np.asarray(part, dtype=np.float32)) for part in np.split(values, log.offsets[1:-1])]
    states, actions, rewards = pieces(log.timed), pieces(log.actions[:, None]), pieces(log.rewards[:, None])
    row_of = {state.tobytes(): row for row, state in enumerate(log.timed)}

    def rows(state):
        return np.array([row_of[each.tobytes()] for each in np.asarray(state)])

    def policy(probabilities):
        def answer(state, action):
            p = probabilities[rows(state), action[:, 0].astype(int)][:, None].astype(np.float32)
            return NumpyPolicyReturn(actions=action, action_prs=p)
        return Policy(policy_func=NumpyPolicyFuncWrapper(answer), collect_act=True)

    class Values(DirectMethodBase):
        def calculate_q(self, state, action):
            return torch.tensor(self.model[rows(state), action.numpy()[:, 0].astype(int)][:, None].astype(np.float32))

        def calculate_v(self, state):
            at = rows(state)
            return torch.tensor((self.model[at] * log.target[at]).sum(axis=1)[:, None].astype(np.float32))

    def asked(make, weights):
        def task():
            found = ISWeightOrchestrator(weights, behav_policy=policy(log.behavior))
            found.update(states=states, actions=actions, eval_policy=policy(log.target))
            return float(make().predict(rewards=rewards, states=states, actions=actions, discount=1.0,
                                        weights=found[weights].traj_is_weights, is_msk=found.weight_msk))
        return task
    return {"offline_rl_ope: IS": asked(VanillaISPDIS, "vanilla"), "offline_rl_ope: PDIS": asked(VanillaISPDIS, "per_decision"),
            "offline_rl_ope: WIS": asked(WIS, "vanilla"), "offline_rl_ope: PDWIS": asked(PDWIS, "per_decision"),
            "offline_rl_ope: DR (Q of d3rlpy)": asked(lambda: VanillaDR(dm_model=Values(learned["q"])), "per_decision"),
            "offline_rl_ope: WDR (Q of d3rlpy)": asked(lambda: WDR(dm_model=Values(learned["q"])), "per_decision")}


# ---- hopes ------------------------------------------------------------------------------------------------------------------------------

def hopes_tasks(log):
    import numpy as np
    from hopes.ope import estimators

    even = np.full(log.count, 1.0 / log.count)
    target, behavior = log.padded(log.target, 0.0), log.padded(log.behavior, 0.0)
    target[target.sum(axis=1) == 0.0] = even
    behavior[behavior.sum(axis=1) == 0.0] = even
    rewards = log.padded(log.rewards, 0.0)
    rows = np.arange(len(log.actions))
    ratios = log.padded(log.target[rows, log.actions] / log.behavior[rows, log.actions], 1.0)

    def asked(kind):
        def task():
            estimator = kind(steps_per_episode=log.horizon, discount_factor=1.0)
            estimator.set_parameters(target_policy_action_probabilities=target, behavior_policy_action_probabilities=behavior, rewards=rewards)
            estimator.set_importance_ratios(ratios)  # else it multiplies the ratios of all actions, taken or not
            return float(estimator.estimate_policy_value())
        return task
    names = {"TIS": "TrajectoryWiseImportanceSampling", "SNTIS": "SelfNormalizedTrajectoryWiseImportanceSampling",
             "PDIS": "PerDecisionImportanceSampling", "SNPDIS": "SelfNormalizedPerDecisionImportanceSampling"}
    return {f"hopes: {name}": asked(getattr(estimators, kind)) for name, kind in names.items() if hasattr(estimators, kind)}


# ---- the run ----------------------------------------------------------------------------------------------------------------------------

def tasks_of(data, log, short):
    """Those of every library that can be imported. A fitted Q is handed on to those that follow, without its time. `short`: none that needs it."""
    learned = {}
    tasks = our_tasks(data, log) if data is not None else {}
    for make in (lambda: d3rlpy_tasks(log, learned), lambda: scope_tasks(log, learned), lambda: offline_tasks(log, learned), lambda: hopes_tasks(log)):
        try:
            tasks |= make()
        except ImportError as missing:
            print(f"left out: {missing}", file=sys.stderr)
    return {who: task for who, task in tasks.items() if not (short and "d3rlpy" in who)}


def answered(task):
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        value, error = task(), None
    except Exception as failure:  # noqa: BLE001
        value, error = None, f"{type(failure).__name__}: {failure}".splitlines()[0][:200]
    return {"value": value, "error": error, "processor": time.process_time() - cpu, "clock": time.perf_counter() - wall}


def log_of(world, number, options):
    """The library's data set, or none, and plain arrays."""
    import numpy as np

    if options.source:
        return None, Log(dict(np.load(Path(options.source) / f"{world}-{number}.npz")))
    data, log = Log.simulated(world, 1000 + number)
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
        np.savez(Path(options.keep) / f"{world}-{number}.npz", **log.arrays)
    return data, log


def run(options):
    """World by world and log by log; the file has what is there after each, so that a run may be stopped."""
    logging.disable(logging.WARNING)
    worlds = {name: {"world": name, "episodes": EPISODES, "truth": None, "answers": {}} for name in options.worlds.split(",")}
    for number in range(1, options.logs + 1):
        for name, world in worlds.items():
            data, log = log_of(name, number, options)
            if number == 1:  # imports and caches; training is long enough to do without
                for task in tasks_of(data, log, short=True).values():
                    answered(task)
                if data is not None:
                    import starope as so
                    world["truth"] = so.true_value(name)
            for who, task in tasks_of(data, log, options.short).items():
                world["answers"].setdefault(who, []).append(answered(task))
            print(f"{name}: log {number} of {options.logs}", file=sys.stderr, flush=True)
            write(options, [each for each in worlds.values() if each["answers"]])


def write(options, worlds):
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        processor = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    try:
        import starope
        ours = starope.__version__
    except ImportError:
        ours = None
    versions = {"starope": ours, "python": platform.python_version(), **installed("numpy", "torch", "d3rlpy", "scope-rl", "offline_rl_ope", "hopes")}
    made = {"processor": processor, "load": [round(each, 1) for each in os.getloadavg()], "versions": versions, "worlds": worlds}
    Path(options.output).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


# ---- tables -----------------------------------------------------------------------------------------------------------------------------

def rounded(number):
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.2g}"


def joined(paths):
    """The worlds of all files, by name: truth, and answers of all libraries."""
    files = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    worlds = {}
    for made in files:
        for world in made["worlds"]:
            known = worlds.setdefault(world["world"], {"truth": None, "answers": {}})
            known["truth"] = known["truth"] or world["truth"]
            for who, answers in world["answers"].items():  # the longer run counts
                known["answers"][who] = max(known["answers"].get(who, []), answers, key=len)
    return files, worlds


def errors(answers, truth):
    """Mean squared error, its standard error, and the bias; or why there is none."""
    if failed := [each["error"] for each in answers if each["value"] is None or each["value"] != each["value"]]:
        return failed[0] or "not a number"
    off = [each["value"] - truth for each in answers]
    squares = [each * each for each in off]
    spread = statistics.stdev(squares) / len(squares) ** 0.5 if len(squares) > 1 else 0.0
    return statistics.fmean(squares), spread, statistics.fmean(off)


def table(paths, times):
    files, worlds = joined(paths)
    names = list(dict.fromkeys(name for world in worlds.values() for name in world["answers"]))
    lines, notes = [], []
    lines += ["| who | logs | " + " | ".join(f"{name} (truth {rounded(world['truth'][0])})" if not times else name for name, world in worlds.items()) + " |",
              "|---" * (len(worlds) + 2) + "|"]
    best = {}
    for which, world in worlds.items():
        most = max(len(answers) for answers in world["answers"].values())
        found = [errors(answers, world["truth"][0]) for answers in world["answers"].values() if len(answers) == most]
        best[which] = min(each[0] for each in found if not isinstance(each, str))  # of those that saw all logs
    for name in names:
        cells = []
        for which, world in worlds.items():
            answers = world["answers"].get(name)
            found = "" if answers is None else errors(answers, world["truth"][0])
            if isinstance(found, str):
                if found and found not in notes:
                    notes.append(found)
                cells.append(f"refused [{notes.index(found) + 1}]" if found else "")
            elif times:
                cells.append(f"{1e3 * statistics.median(each['processor'] for each in answers):,.1f} ms")
            else:
                mark = "**" if found[0] == best[which] else ""
                cells.append(f"{mark}{rounded(found[0])} ± {rounded(found[1])}{mark} ({found[2]:+.2g})")
        logs = min(len(world["answers"][name]) for world in worlds.values() if name in world["answers"])
        lines.append(f"| {name.replace(': ', ': `', 1)}` | {logs} | " + " | ".join(cells) + " |")
    lines += [f"\n[{number}] {note}" for number, note in enumerate(notes, start=1)]
    for versions, processor in dict.fromkeys((", ".join(f"{name} {version}" for name, version in made["versions"].items() if version), made["processor"]) for made in files):
        loads = [made["load"][0] for made in files if all(f"{name} {version}" in versions for name, version in made["versions"].items() if version)]
        lines += ["", f"{processor}, load average {min(loads):.0f} to {max(loads):.0f}; {versions}."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="peers_ope.json")
    parser.add_argument("--logs", type=int, default=10)
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--keep", metavar="FOLDER", help="also write the logs, for a run with another Python")
    parser.add_argument("--from", dest="source", metavar="FOLDER", help="take logs that were kept, instead of simulating them")
    parser.add_argument("--short", action="store_true", help="without Q-functions of d3rlpy, which take most of the time")
    parser.add_argument("--table", nargs="+", metavar="FILE.json")
    parser.add_argument("--times", action="store_true", help="with --table: seconds of processor instead of errors")
    options = parser.parse_args()
    if options.table:
        sys.stdout.write(table(options.table, options.times))
    else:
        run(options)


if __name__ == "__main__":
    main()
