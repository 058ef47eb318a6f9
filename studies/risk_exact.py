#!/usr/bin/env python3
"""How often intervals of risks hold where the distribution of returns is known exactly: many small logs, through the program.

    studies/risk_exact.py build/bin/starope [WORLD] [--episodes 100] [--data-sets 1000] [-o table.md]

Small worlds of states and actions, whose distributions of returns are summed over all paths. Every data set is asked for two quantiles,
the mean of the worst tenth and the probability of a return below the lower quartile. A row of the table is a world: which method was
believed how often, how often its four intervals held, how many misses came without a finding, and how often the intervals of each method
held, believed or not.
"""
import argparse
import json
import random
import subprocess

from risk import held

ROUNDING = 1e-9  # of sums of probabilities


class World:
    """`shown` is the state that is logged; rewards are (probability, value) for every state and action."""

    def __init__(self, steps, move, rewards, behavior, target, shown=None):
        self.steps, self.move, self.rewards, self.behavior, self.target = steps, move, rewards, behavior, target
        self.shown = shown or list(range(len(move)))

    def distribution(self):
        """Every return of the target policy with its probability, by its size."""
        states = range(len(self.move))
        now = {(s, 0.0): 1.0 / len(self.move) for s in states}
        for _ in range(self.steps):
            then = {}
            for (s, earned), p in now.items():
                for a, chosen in enumerate(self.target[s]):
                    for likely, reward in self.rewards[s][a]:
                        total = round(earned + reward, 6)
                        for following, moved in enumerate(self.move[s][a]):
                            key = (following, total)
                            then[key] = then.get(key, 0.0) + p * chosen * likely * moved
            now = then
        returns = {}
        for (_, earned), p in now.items():
            returns[earned] = returns.get(earned, 0.0) + p
        return sorted(returns.items())

    def log(self, episodes, seed):
        draw = random.Random(seed)
        pick = lambda weights: draw.choices(range(len(weights)), weights)[0]
        lines = ["episode,t,state,action,reward,behavior_prob,target_prob,terminated,truncated"]
        for i in range(episodes):
            s = draw.randrange(len(self.move))
            for t in range(self.steps):
                a = pick(self.behavior[s])
                reward = self.rewards[s][a][pick([p for p, _ in self.rewards[s][a]])][1]
                end = int(t + 1 == self.steps)
                lines.append(f"{i},{t},{self.shown[s]},{a},{reward!r},{self.behavior[s][a]!r},{self.target[s][a]!r},0,{end}")
                s = pick(self.move[s][a])
        return "\n".join(lines) + "\n"


def drawn(seed, states, actions, steps, values=1, shown=None, bold=3.0):
    """A world at random. `bold`: how much more the target policy likes its favorite."""
    draw = random.Random(seed)

    def shares(count):
        weights = [draw.random() + 0.1 for _ in range(count)]
        return [w / sum(weights) for w in weights]

    move = [[shares(states) for _ in range(actions)] for _ in range(states)]
    rewards = [[[(p, round(draw.gauss(s - a, 1.0), 2)) for p in shares(values)] for a in range(actions)] for s in range(states)]
    behavior = [[1 / actions] * actions for _ in range(states)]
    target = []
    for _ in range(states):
        weights = [1.0] * actions
        weights[draw.randrange(actions)] = bold
        target.append([w / sum(weights) for w in weights])
    # What is logged as one state is one state to both policies.
    if shown:
        target = [target[shown.index(seen)] for seen in shown]
    return World(steps, move, rewards, behavior, target, shown)


def rare_loss():
    """One step; each action mostly earns about one, and rarely loses much."""
    usual = lambda mean, loss, p: [(p, loss)] + [((1 - p) / 8, round(mean + 0.1 * k, 2)) for k in range(8)]
    rewards = [[usual(0.5, -8.0, 0.02), usual(1.0, -20.0, 0.01), usual(0.2, -1.0, 0.05)] for _ in range(2)]
    return World(1, [[[0.5, 0.5]] * 3] * 2, rewards, [[0.4, 0.3, 0.3]] * 2, [[0.2, 0.6, 0.2], [0.6, 0.2, 0.2]])


WORLDS = {
    "one-step": lambda: drawn(5, 3, 3, 1, values=6),
    "three-steps": lambda: drawn(6, 3, 2, 3, values=2),
    "ten-steps": lambda: drawn(7, 3, 2, 10),
    "hidden": lambda: drawn(8, 4, 2, 4, shown=[0, 0, 1, 1]),
    "rare-loss": rare_loss,
}


def exact(pairs, question):
    """What is asked of a distribution: of returns by their size, with probabilities."""
    found = []
    for p in question["quantiles"]:
        total = 0.0
        for x, mass in pairs:
            total += mass
            if total >= p - ROUNDING:
                break
        found.append(x)
    for share in question["cvar"]:
        left, total = share, 0.0
        for x, mass in pairs:
            part = min(mass, left)
            total, left = total + part * x, left - part
        found.append(total / share)
    return found + [sum(mass for x, mass in pairs if x < limit) for limit in question["below"]]


def row(program, name, episodes, sets):
    world = WORLDS[name]()
    pairs = world.distribution()
    question = {"quantiles": [0.1, 0.5], "cvar": [0.1], "below": exact(pairs, {"quantiles": [0.25], "cvar": [], "below": []})}
    truth = exact(pairs, question)
    words = ["--" + kind + "=" + ",".join(f"{x!r}" for x in asked) for kind, asked in question.items()]
    counts = {method: [0, 0, 0, 0] for method in ("wis", "arp", "dr", "believed")}
    chosen, asked, alone, warned = {}, 0, 0, 0
    for seed in range(sets):
        done = subprocess.run([program, "evaluate", "-", "--threads", "1", "--estimators", "naive,wis", "--json", *words],
                              input=world.log(episodes, seed), capture_output=True, text=True, check=True)
        rows = {each["method"]: each for each in json.loads(done.stdout)["distributions"]}
        for method in ("wis", "arp", "dr"):
            counts[method] = [a + bool(b) for a, b in zip(counts[method], held(rows[method], truth))]
        believed = [each for each in rows.values() if each["believed"]]
        kind = believed[0]["method"] if believed else "none"
        chosen[kind] = chosen.get(kind, 0) + 1
        for each in believed:
            right = [bool(x) for x in held(each, truth)]
            counts["believed"] = [a + b for a, b in zip(counts["believed"], right)]
            asked += 1
            found = any(finding["severity"] != "info" for finding in each["findings"])
            warned += found
            alone += 0 if found else right.count(False)
    share = lambda count, of: f"{100 * count / of:.1f}" if of else "-"
    who = ", ".join(f"`{method}` {times}" for method, times in sorted(chosen.items(), key=lambda each: -each[1]))
    each = " / ".join(share(count, asked) for count in counts["believed"])
    methods = " | ".join(" / ".join(share(count, sets) for count in counts[method]) for method in ("wis", "arp", "dr"))
    return f"| {name} | {episodes} | {sets} | {who} | {each} | {warned} | {alone} of {4 * asked} | {methods} |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("world", nargs="*", help="of " + ", ".join(WORLDS) + "; default: all")
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    for name in options.world or WORLDS:
        line = row(options.program, name, options.episodes, options.data_sets)
        print(line, end="", flush=True)
        if options.output:
            with open(options.output, "a", encoding="utf-8") as file:
                file.write(line)


if __name__ == "__main__":
    main()
