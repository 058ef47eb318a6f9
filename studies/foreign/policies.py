"""Policies as functions from observations (one row per episode) to probabilities of all actions."""

import numpy as np


def uniform_share(rule, share, actions):
    """What the rule says, with the rest of the probability spread evenly over all actions."""
    def policy(seen):
        probabilities = np.full((len(seen), actions), share / actions)
        probabilities[np.arange(len(seen)), rule(seen)] += 1 - share
        return probabilities
    return policy


def around(aim, spread, levels):
    """Ordered actions: a discretized normal distribution around what the rule aims at."""
    levels = np.asarray(levels, float)

    def policy(seen):
        weight = np.exp(-0.5 * ((levels - aim(seen)[:, None]) / spread) ** 2) + 1e-3
        return weight / weight.sum(axis=1, keepdims=True)
    return policy


def logistic(score):
    """Two actions: the second with the probability that belongs to the score."""
    def policy(seen):
        second = 0.01 + 0.98 / (1 + np.exp(-np.clip(score(seen), -30, 30)))
        return np.stack([1 - second, second], axis=1)
    return policy


def from_table(table):
    return lambda seen: table[seen]


def best_actions(table, discount=0.99, sweeps=2000):
    """Greedy actions of a finite environment, by value iteration."""
    chance, to, reward, end = table
    values = np.zeros(len(chance))
    for _ in range(sweeps):
        q = (chance * (reward + discount * np.where(end, 0, values[to]))).sum(axis=2)
        changed = np.abs(q.max(axis=1) - values).max()
        values = q.max(axis=1)
        if changed < 1e-10:
            break
    return q.argmax(axis=1)


# Rules, each for one environment. They are sensible, not optimal.

def balance(seen):
    """CartPole: which way the pole leans and turns, and a little where the cart is."""
    x, v, angle, turn = seen.T
    return 10 * angle + 2.5 * turn + 0.3 * x + 0.6 * v


def balance_by_sight(seen):
    """CartPole without velocities."""
    return seen[:, 1] + 0.01 * seen[:, 0]


def with_momentum(seen):
    """MountainCar: push where it already moves."""
    return np.where(seen[:, 1] >= 0, 2, 0)


def pump(seen):
    """Acrobot: torque with the turning of the second link."""
    return np.where(seen[:, 5] >= 0, 2, 0)


def swing_up(seen):
    """Pendulum: energy until it is nearly up, then hold."""
    cosine, sine, turn = seen.T
    missing = 5 - (turn**2 / 6 + 5 * cosine)
    hold = -(10 * sine + 2 * turn)
    return np.clip(np.where(cosine > 0.8, hold, np.sign(turn + 1e-9) * np.sign(missing) * 2), -2, 2)


class LanderRule:
    """The demonstration controller that gymnasium brings along."""

    def __init__(self):
        self.env = None

    def __call__(self, seen):
        from gymnasium.envs.box2d import lunar_lander
        if self.env is None:
            self.env = lunar_lander.LunarLander()
        return np.array([lunar_lander.heuristic(self.env, row) for row in seen])


def dose(seen):
    """Glucose: much insulin with a meal, more while high, none while low."""
    level, change, _, food = seen.T
    return np.where(food > 0, 3, np.where(level < 100, 0, np.where((level > 150) & (change > -5), 2, 1)))


def treat_when_high(seen):
    """HIV: both drugs while there is much virus, none otherwise."""
    return np.where(seen[:, 1] > 4, 3, 0)


def order_by_margin(seen):
    """Newsvendor: more where a sale earns more over its cost."""
    price, cost = seen[:, 0], seen[:, 1]
    return 0.5 + 2.0 * (price - cost) / price


def order_by_stock(seen):
    """Inventory: the less there is at the retailer, the more."""
    return np.clip(4 - seen[:, 0] / 25, 0, 4)


def release_demand(seen):
    """Reservoir: what is demanded, more when it is about to flood."""
    return np.clip(50 + 0.5 * np.maximum(seen[:, 0] - 60, 0), 0, 100)


def follow_ball(seen):
    """Breakout: to the column where the ball will be next."""
    bits = seen.reshape(-1, 10, 10, 4)
    paddle, ball, trail = bits[:, 9, :, 0].argmax(axis=1), bits[:, :, :, 1].any(axis=1).argmax(axis=1), \
        bits[:, :, :, 2].any(axis=1).argmax(axis=1)
    aim = np.clip(ball + np.sign(ball - trail), 0, 9)
    return np.where(aim < paddle, 1, np.where(aim > paddle, 2, 0))


def shoot_and_dodge(seen):
    """Space invaders: step aside when a bullet comes down, else fire."""
    bits = seen.reshape(-1, 10, 10, 6)
    cannon = bits[:, 9, :, 0].argmax(axis=1)
    bullet = bits[np.arange(len(bits)), 6:, cannon, 5].any(axis=1)
    return np.where(bullet, np.where(cannon > 4, 1, 2), 3)


def catch_ball(seen):
    """Catch: towards the column of the ball."""
    board = seen.reshape(-1, 10, 5)
    paddle, ball = board[:, 9].argmax(axis=1), board[:, :9].any(axis=1).argmax(axis=1)
    return np.where(ball < paddle, 0, np.where(ball > paddle, 2, 1))


def as_needed(seen):
    """Umbrella chain: the umbrella if it will rain."""
    return seen[:, 0].astype(int)


def higher_from_low(seen):
    """Higher or lower: higher (action 0) from a low card."""
    return np.where(seen <= 6, 0, 1)


def to_the_goal(seen):
    """Dynamic obstacles, seen as 7 x 7 codes with the agent below in the middle: forward if free, towards the goal if seen."""
    board = seen.reshape(-1, 7, 7)  # column (left to right), row (far to near)
    ahead = board[:, 3, 5]
    goal = board == 8
    seen_goal, column = goal.any(axis=(1, 2)), goal.any(axis=2).argmax(axis=1)
    row = goal.any(axis=1).argmax(axis=1)
    turn = np.where(column < 3, 0, 1)
    beside = seen_goal & (column != 3) & (row == 6)
    free = (ahead == 1) | (ahead == 8)
    return np.where(beside, turn, np.where(free, 2, np.where(seen_goal & (column != 3), turn, 1)))
