#!/usr/bin/env python3
"""Steps the environments under their behavior policies and writes logs as NumPy archives, one per world, size and seed.

    record.py -o FOLDER --sizes 100,1000 --logs 8,4 [WORLD|decide|aside ...]

A log is a function of (world, size, seed): random numbers of block k of 250 episodes come from these and k alone.
"""

import argparse
import zlib
from pathlib import Path

import numpy as np

import worlds

BLOCK = 250  # episodes in lockstep


def generator(world, purpose, size, seed, block):
    """Worlds that differ only in how they are recorded have episodes of their own too."""
    return np.random.default_rng([zlib.crc32(world.name.encode()), zlib.crc32(purpose.encode()), size, seed, block])


def draw(rng, probabilities):
    """One action per row."""
    edges = probabilities.cumsum(axis=1)
    return (rng.random(len(edges))[:, None] * edges[:, -1:] > edges[:, :-1]).sum(axis=1)


def roll(batch, rng, count, horizon, policy):
    """Yields (t, alive, observations, probabilities, actions, rewards, terminated, next observations) step by step."""
    seen = batch.reset(rng, count)
    alive = np.ones(count, bool)
    for t in range(horizon):
        probabilities = policy(seen)
        actions = draw(rng, probabilities)
        after, rewards, terminated = batch.step(actions, alive)
        yield t, alive, seen, probabilities, actions, rewards, terminated & alive, after
        alive = alive & ~terminated
        seen = after
        if not alive.any():
            return


def block_of_rows(world, batch, rng, count, first, behavior, target):
    """Rows of `count` whole episodes, ordered by episode and time, as a dictionary of arrays."""
    parts = []
    for t, alive, seen, probabilities, actions, rewards, terminated, after in roll(batch, rng, count, world.horizon, behavior):
        who = np.flatnonzero(alive)
        parts.append({"episode": first + who, "t": np.full(len(who), t), "state": seen[who], "after": after[who],
                      "action": actions[who], "reward": rewards[who], "behavior_probs": probabilities[who],
                      "target_probs": target(seen[who]), "terminated": terminated[who].astype(np.uint8)})
    rows = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    order = np.lexsort((rows["t"], rows["episode"]))
    return {key: column[order] for key, column in rows.items()}


def recorded(world, rows, rng):
    """The rows as the world's recording writes them: a random cut where it cuts, flags where it has them."""
    last = np.r_[rows["episode"][1:] != rows["episode"][:-1], True]
    rows["truncated"] = (last & (rows["terminated"] == 0)).astype(np.uint8)
    if world.recording != "whole":
        limit = rng.integers(world.horizon // 5, world.horizon + 1, size=rows["episode"].max() + 1)  # last step that is kept
        kept = rows["t"] < limit[rows["episode"]]
        rows = {key: column[kept] for key, column in rows.items()}
        last = np.r_[rows["episode"][1:] != rows["episode"][:-1], True]
        rows["truncated"] = (last & (rows["terminated"] == 0)).astype(np.uint8)
    for policy in ("behavior", "target"):
        rows[policy + "_prob"] = np.take_along_axis(rows[policy + "_probs"], rows["action"][:, None], axis=1)[:, 0]
    if world.recording == "unflagged":
        del rows["terminated"], rows["truncated"]
    if world.recording == "cut":
        rows = with_states_after(rows)
    del rows["after"]
    return rows


def with_states_after(rows):
    """One more row where an episode was cut before its end: the state there, and empty cells (NaN, -1 for the action)."""
    cut = np.flatnonzero(rows["truncated"])
    extra = {key: np.full((len(cut), *column.shape[1:]), np.nan) for key, column in rows.items()}
    extra.update(episode=rows["episode"][cut], t=rows["t"][cut] + 1, state=rows["after"][cut], after=rows["after"][cut],
                 action=np.full(len(cut), -1),
                 terminated=np.zeros(len(cut), np.uint8), truncated=np.zeros(len(cut), np.uint8))
    joined = {key: np.concatenate([column, extra[key]]) for key, column in rows.items()}
    order = np.lexsort((joined["t"], joined["episode"]))
    return {key: column[order] for key, column in joined.items()}


def log(world, size, seed, batch=None):
    batch, behavior, target = batch or world.make(), world.behavior(), world.target()
    blocks = []
    for number, first in enumerate(range(0, size, BLOCK)):
        rng = generator(world, "log", size, seed, number)
        blocks.append(block_of_rows(world, batch, rng, min(BLOCK, size - first), first, behavior, target))
    rows = {key: np.concatenate([block[key] for block in blocks]) for key in blocks[0]}
    return recorded(world, rows, generator(world, "cut", size, seed, 0))


def file_name(world, size, seed):
    return f"{world.name}.{size}.{seed}.npz"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worlds", nargs="*", help="names, decide or aside (default: all)")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--sizes", default="100,1000,10000", help="numbers of episodes")
    parser.add_argument("--logs", default="8,4,2", help="numbers of logs, one for each size")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    plan = list(zip(map(int, options.sizes.split(",")), map(int, options.logs.split(","))))
    for world in worlds.chosen(options.worlds):
        batch = world.make()
        for size, count in plan:
            for seed in range(count):
                path = options.output / file_name(world, size, seed)
                if path.exists():
                    continue
                rows = log(world, size, seed, batch)
                partial = path.with_name("partial-" + path.name)
                np.savez_compressed(partial, **rows)
                partial.rename(path)
                print(f"{path.name}: {len(rows['episode'])} rows", flush=True)


if __name__ == "__main__":
    main()
