"""The worlds of the benchmark: one entry each, looped over by everything else.

`half` is decide (look at them while building an estimator) or aside (look once, at the end). `recording` says how episodes
are written down: whole; cut at a random step with flags and the state after the cut; or cut without any flags.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Callable

import numpy as np

import environments as env
import glucose
import policies as rule
import vectorized


@dataclass(frozen=True)
class World:
    name: str
    half: str
    package: str
    kind: str  # of observations: dense, ids, bits or grid
    horizon: int
    actions: int
    about: str
    policies: str
    make: Callable  # () -> batch
    behavior: Callable  # () -> policy
    target: Callable
    recording: str = "whole"
    table: Callable | None = None  # () -> (table, first states): the truth is computed, not simulated
    truth_episodes: int = 100_000


def epsilon(make_rule, share, actions):
    return lambda: rule.uniform_share(make_rule, share, actions)


def table_world(name, half, gym_name, horizon, actions, shares, about, recording="whole", **options):
    tables = lru_cache(lambda: env.table_of(gym_name, **options))

    def policy(share):
        best = rule.best_actions(tables()[0])
        chosen = np.eye(actions)[best]
        return rule.from_table(share / actions + (1 - share) * chosen)
    return World(name, half, "gymnasium", "ids", horizon, actions, about,
                 f"best action except for a uniform share: {shares[0]}, {shares[1]}",
                 lambda: env.gymnasium_batch(gym_name, **options), lambda: policy(shares[0]), lambda: policy(shares[1]),
                 recording, tables)


def newsvendor_order(action, seen):
    return 0.5 * action * seen[4]  # in units of half the mean demand, which is a column


def stage_orders(action, seen):
    return np.full(3, 10 * action)


def half_of_both(reward):
    return float(0.5 * reward[0] + 0.5 * reward[1])


def codes(observation):
    return observation["image"][:, :, 0].ravel().astype(np.float32)


RELEASES = np.array([0.0, 20.0, 40.0, 60.0, 80.0])


def reservoir(name, half, recording):
    return World(name, half, "mo-gymnasium", "dense", 50, 5,
                 "a dam that floods above and dries below; both costs halved and added",
                 "release around 40 and around the demand, spread 30 and 20",
                 lambda: env.gymnasium_batch("water-reservoir-v0", "mo_gymnasium", earn=half_of_both,
                                             act=lambda a: np.array([RELEASES[a]], np.float32)),
                 lambda: rule.around(lambda seen: np.full(len(seen), 40.0), 30, RELEASES),
                 lambda: rule.around(rule.release_demand, 20, RELEASES), recording, truth_episodes=10_000)


CLIFF = dict(is_slippery=True)

WORLDS = [
    # To decide on.
    table_world("taxi", "decide", "Taxi-v4", 40, 6, (0.5, 0.15), "500 ids, many visits"),
    World("balanced-pole", "decide", "gymnasium", "dense", 200, 2, "fine control over a long horizon; weights stay healthy",
          "logistic in the lean of the pole, weaker and stronger", vectorized.CartPole,
          lambda: rule.logistic(lambda s: 0.8 * rule.balance(s)), lambda: rule.logistic(lambda s: 1.1 * rule.balance(s))),
    World("lander", "decide", "gymnasium (Box2D)", "dense", 300, 4, "fine control of eight columns, long horizon",
          "the package's demonstration except for a uniform share: 0.5, 0.2", lambda: env.gymnasium_batch("LunarLander-v3"),
          epsilon(rule.LanderRule(), 0.5, 4), epsilon(rule.LanderRule(), 0.2, 4), truth_episodes=12_000),
    World("noisy-mountain", "decide", "gymnasium", "dense", 200, 3, "a mountain car with ten columns of noise",
          "with the momentum except for a uniform share: 0.4, 0.25", lambda: env.WithNoise(vectorized.MountainCar(), 10),
          epsilon(rule.with_momentum, 0.4, 3), epsilon(rule.with_momentum, 0.25, 3)),
    World("glucose", "decide", "simglucose", "dense", 48, 4, "insulin and food act for hours and are not seen",
          "basal rate, doses by glucose and meals; uniform shares 0.6, 0.3", glucose.Glucose,
          epsilon(lambda s: np.ones(len(s), int), 0.6, 4), epsilon(rule.dose, 0.3, 4), truth_episodes=10_000),
    World("newsvendor", "decide", "or-gym", "dense", 40, 5, "five columns are constants of an episode; orders arrive later",
          "around the mean demand, around a rule by margin", lambda: env.Lockstep(
              lambda: env.OrGym("classic_or.newsvendor", "NewsvendorEnv", newsvendor_order)),
          lambda: rule.around(lambda s: np.full(len(s), 1.5), 1.2, range(5)),
          lambda: rule.around(rule.order_by_margin, 1.0, range(5)), truth_episodes=20_000),
    World("breakout", "decide", "MinAtar", "bits", 100, 3, "a game of 400 bits, actions stick",
          "follow the ball except for a uniform share: 0.4, 0.1", lambda: env.Lockstep(lambda: env.MinAtar("breakout")),
          epsilon(rule.follow_ball, 0.4, 3), epsilon(rule.follow_ball, 0.1, 3), truth_episodes=10_000),
    World("obstacles", "decide", "minigrid", "grid", 60, 3, "49 codes of what lies before a walker among moving obstacles",
          "towards the goal except for a uniform share: 0.5, 0.15",
          lambda: env.gymnasium_batch("MiniGrid-Dynamic-Obstacles-6x6-v0", "minigrid", observe=codes),
          epsilon(rule.to_the_goal, 0.5, 3), epsilon(rule.to_the_goal, 0.15, 3), truth_episodes=6_000),
    reservoir("reservoir-cut", "decide", "cut"),
    reservoir("reservoir-unflagged", "decide", "unflagged"),

    # Kept aside.
    table_world("frozen-lake", "aside", "FrozenLake-v1", 100, 4, (0.5, 0.1), "64 ids, a rare reward", map_name="8x8"),
    World("acrobot", "aside", "gymnasium", "dense", 500, 3, "a swinging arm of two links, long horizon",
          "pump except for a uniform share: 0.6, 0.3", vectorized.Acrobot, epsilon(rule.pump, 0.6, 3), epsilon(rule.pump, 0.3, 3),
          truth_episodes=10_000),
    World("pendulum", "aside", "gymnasium", "dense", 200, 5, "swing up and hold, five torques, long horizon",
          "around the same controller, spread 2 and 1", vectorized.Pendulum,
          lambda: rule.around(rule.swing_up, 2.0, vectorized.Pendulum.torques),
          lambda: rule.around(rule.swing_up, 1.0, vectorized.Pendulum.torques)),
    World("umbrella", "aside", "bsuite", "dense", 20, 2, "the first action decides the last reward; twenty columns of noise",
          "what is needed except for a uniform share: 1, 0.4", lambda: env.Lockstep(
              lambda: env.Bsuite("umbrella_chain", "UmbrellaChain", chain_length=20, n_distractor=20)),
          epsilon(rule.as_needed, 1.0, 2), epsilon(rule.as_needed, 0.4, 2), truth_episodes=40_000),
    World("hiv", "aside", "whynot", "dense", 50, 4, "drugs act on an immune response that is not seen, for months",
          "any drugs, both while there is much virus; uniform shares 1, 0.2", vectorized.Hiv,
          epsilon(rule.treat_when_high, 1.0, 4), epsilon(rule.treat_when_high, 0.2, 4), truth_episodes=4_000),
    World("hidden-velocity", "aside", "popgym", "dense", 100, 2, "a cart and pole without velocities",
          "logistic in the lean, weaker and stronger", vectorized.PositionOnlyCartPole,
          lambda: rule.logistic(lambda s: 5 * rule.balance_by_sight(s)),
          lambda: rule.logistic(lambda s: 40 * rule.balance_by_sight(s))),
    World("inventory", "aside", "or-gym", "dense", 30, 5, "three stages, 33 columns of stock and orders on their way",
          "around the mean demand, around a rule by stock", lambda: env.Lockstep(
              lambda: env.OrGym("supply_chain.inventory_management", "InvManagementBacklogEnv", stage_orders)),
          lambda: rule.around(lambda s: np.full(len(s), 2.0), 1.5, range(5)),
          lambda: rule.around(rule.order_by_stock, 0.8, range(5)), truth_episodes=4_000),
    World("invaders", "aside", "MinAtar", "bits", 100, 4, "a game of 600 bits, actions stick",
          "shoot and dodge except for a uniform share: 0.7, 0.3", lambda: env.Lockstep(lambda: env.MinAtar("space_invaders")),
          epsilon(rule.shoot_and_dodge, 0.7, 4), epsilon(rule.shoot_and_dodge, 0.3, 4), truth_episodes=6_000),
    World("catch", "aside", "bsuite", "bits", 10, 3, "50 bits, short",
          "towards the ball except for a uniform share: 0.8, 0.2", lambda: env.Lockstep(lambda: env.Bsuite("catch", "Catch")),
          epsilon(rule.catch_ball, 0.8, 3), epsilon(rule.catch_ball, 0.2, 3), truth_episodes=20_000),
    World("higher-lower", "aside", "popgym", "ids", 51, 2, "13 ids with a hidden deck, many visits",
          "the likelier side except for a uniform share: 0.8, 0.4",
          lambda: env.gymnasium_batch("popgym-HigherLowerEasy-v0", "popgym"),
          epsilon(rule.higher_from_low, 0.8, 2), epsilon(rule.higher_from_low, 0.4, 2), truth_episodes=20_000),
    table_world("cliff-cut", "aside", "CliffWalking-v1", 60, 4, (0.4, 0.1), "48 ids on ice beside a cliff", "cut", **CLIFF),
    table_world("cliff-unflagged", "aside", "CliffWalking-v1", 60, 4, (0.4, 0.1), "the same", "unflagged", **CLIFF),
]

BY_NAME = {world.name: world for world in WORLDS}


def chosen(arguments):
    """Worlds named on a command line: names, `decide`, `aside`; all of them if none is named."""
    if not arguments:
        return WORLDS
    unknown = [a for a in arguments if a not in BY_NAME and a not in ("decide", "aside")]
    if unknown:
        raise SystemExit(f"no world {', '.join(unknown)}; there are decide, aside, {', '.join(BY_NAME)}")
    return [world for world in WORLDS if world.name in arguments or world.half in arguments]
