"""Environments of packages from PyPI behind one small interface, many episodes in lockstep.

A batch has `reset(rng, count) -> observations` and `step(actions, alive) -> (observations, rewards, terminated)`, all arrays
with one row per episode; rows of episodes that are not alive mean nothing. Nothing here ends an episode for its length: that
is the recorder's business.
"""

import importlib
import importlib.util
import os
import sys
import types
import warnings

import numpy as np

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # some packages open a window when they are imported
warnings.filterwarnings("ignore")


class Lockstep:
    """One original environment per episode, each stepped for real. They are built once and used again."""

    def __init__(self, make):
        self.make = make
        self.pool = []

    def reset(self, rng, count):
        seeds = rng.integers(2**31 - 1, size=count)
        while len(self.pool) < count:
            self.pool.append(self.make())
        np.random.seed(int(rng.integers(2**31 - 1)))  # some packages draw from numpy's global generator
        self.observations = np.stack([np.asarray(env.reset(int(seed))) for env, seed in zip(self.pool, seeds)])
        return self.observations

    def step(self, actions, alive):
        observations, rewards, ended = self.observations.copy(), np.zeros(len(actions)), np.zeros(len(actions), bool)
        for i in np.flatnonzero(alive):
            observations[i], rewards[i], ended[i] = self.pool[i].step(int(actions[i]))
        self.observations = observations
        return observations, rewards, ended


class Gymnasium:
    """A Gymnasium environment without wrappers. `observe` makes an array of an observation, `act` an action of an id, `earn` a
    number of a reward."""

    def __init__(self, make, observe=None, act=None, earn=None):
        self.env = make().unwrapped
        self.observe, self.act, self.earn = observe or (lambda o: o), act or (lambda a: a), earn or float

    def reset(self, seed):
        return self.observe(self.env.reset(seed=seed)[0])

    def step(self, action):
        observation, reward, terminated, _, _ = self.env.step(self.act(action))
        return self.observe(observation), self.earn(reward), bool(terminated)


def gymnasium_batch(name, package=None, observe=None, act=None, earn=None, **options):
    def make():
        maker = importlib.import_module(package or "gymnasium")
        if package and not hasattr(maker, "make"):
            maker = importlib.import_module("gymnasium")
        return Gymnasium(lambda: maker.make(name, **options), observe, act, earn)
    return Lockstep(make)


def table_of(name, **options):
    """(chances, next states, rewards, ends) of a finite environment of gymnasium, padded to (states, actions, outcomes), and
    the chances of the first state."""
    import gymnasium
    env = gymnasium.make(name, **options).unwrapped
    outcomes = max(len(o) for row in env.P.values() for o in row.values())
    shape = (len(env.P), len(env.P[0]), outcomes)
    chance, to, reward, end = np.zeros(shape), np.zeros(shape, int), np.zeros(shape), np.ones(shape, bool)
    for s, row in env.P.items():
        for a, cell in row.items():
            for k, (p, s2, r, done) in enumerate(cell):
                chance[s, a, k], to[s, a, k], reward[s, a, k], end[s, a, k] = p, s2, r, done
    return (chance, to, reward, end), np.asarray(env.initial_state_distrib, float)


class MinAtar:
    """A game on 10 x 10 cells, seen as bits. Its actions are those that matter in that game."""

    def __init__(self, game):
        self.env = importlib.import_module("minatar").Environment(game)
        self.actions = self.env.minimal_action_set()

    def reset(self, seed):
        self.env.seed(seed)
        self.env.reset()
        self.env.last_action = 0  # sticky actions must not reach into the next episode
        return self.env.state().ravel().astype(np.uint8)

    def step(self, action):
        reward, terminated = self.env.act(self.actions[action])
        return self.env.state().ravel().astype(np.uint8), float(reward), bool(terminated)


class Bsuite:
    """An environment of bsuite; its module, class and options."""

    def __init__(self, module, name, **options):
        self.env = getattr(importlib.import_module("bsuite.environments." + module), name)(seed=0, **options)

    def reset(self, seed):
        self.env._rng = np.random.RandomState(seed)
        return np.ravel(self.env.reset().observation)

    def step(self, action):
        step = self.env.step(action)
        return np.ravel(step.observation), float(step.reward), bool(step.last())


class OrGym:
    """An environment of or-gym, which speaks the older interface and draws from numpy's global generator. `act` makes
    quantities of an action id and the present observation."""

    def __init__(self, module, name, act, **options):
        if not hasattr(np, "Inf"):
            np.Inf = np.inf  # the package is older than NumPy 2
        self.env = getattr(importlib.import_module("or_gym.envs." + module), name)(**options)
        self.act = act

    def reset(self, seed):
        self.observation = np.array(self.env.reset(), float)
        return self.observation

    def step(self, action):
        observation, reward, _, _ = self.env.step(self.act(action, self.observation))
        self.observation = np.array(observation, float)
        return self.observation, float(reward), False  # its `done` is its own length limit


class WithNoise:
    """Columns of independent normal noise after those of a batch: they say nothing about anything."""

    def __init__(self, batch, columns):
        self.batch, self.columns = batch, columns

    def noisy(self, observations):
        noise = self.rng.standard_normal((len(observations), self.columns))
        return np.concatenate([observations, noise.astype(observations.dtype)], axis=1)

    def reset(self, rng, count):
        self.rng = rng
        return self.noisy(self.batch.reset(rng, count))

    def step(self, actions, alive):
        observations, rewards, terminated = self.batch.step(actions, alive)
        return self.noisy(observations), rewards, terminated


def whynot_simulator(name):
    """The module of one simulator of whynot. The package as a whole does not import on Python 3.11 (an array as a default of a
    data class, in another simulator), so its parents are entered without running them."""
    simulator = f"whynot.simulators.{name}"
    if simulator not in sys.modules:
        root = importlib.util.find_spec("whynot").submodule_search_locations[0]
        for parent, folder in (("whynot", ""), ("whynot.simulators", "simulators"), (simulator, f"simulators/{name}")):
            sys.modules[parent] = types.ModuleType(parent)
            sys.modules[parent].__path__ = [os.path.join(root, folder)]
        sys.modules["whynot"].dynamics = importlib.import_module("whynot.dynamics")
    return importlib.import_module(simulator + ".simulator")
