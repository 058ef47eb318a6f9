"""Environments whose originals are slow, stepped for all episodes at once in numpy. `check_vectorized.py` compares each of
them with its original, step by step. Constants are read from the original packages, not repeated here."""

import numpy as np

from environments import whynot_simulator


def gymnasium_env(name):
    import gymnasium
    return gymnasium.make(name).unwrapped


class Dynamics:
    """State in double precision, observations in single as the originals give them."""

    def reset(self, rng, count):
        self.state = self.first(rng, count)
        return self.observe()

    def observe(self):
        return self.state.astype(np.float32)

    def step(self, actions, alive):
        rewards, terminated = self.advance(np.asarray(actions))
        return self.observe(), rewards, terminated


class CartPole(Dynamics):
    def __init__(self):
        self.env = gymnasium_env("CartPole-v1")

    def first(self, rng, count):
        return rng.uniform(-0.05, 0.05, (count, 4))

    def advance(self, actions):
        e, (x, v, angle, turn) = self.env, self.state.T
        force = np.where(actions == 1, e.force_mag, -e.force_mag)
        sine, cosine = np.sin(angle), np.cos(angle)
        push = (force + e.polemass_length * turn**2 * sine) / e.total_mass
        swing = (e.gravity * sine - cosine * push) / (e.length * (4 / 3 - e.masspole * cosine**2 / e.total_mass))
        drive = push - e.polemass_length * swing * cosine / e.total_mass
        self.state = np.stack([x + e.tau * v, v + e.tau * drive, angle + e.tau * turn, turn + e.tau * swing], axis=1)
        fallen = (np.abs(self.state[:, 0]) > e.x_threshold) | (np.abs(self.state[:, 2]) > e.theta_threshold_radians)
        return np.ones(len(actions)), fallen


class PositionOnlyCartPole(CartPole):
    """popgym's variant: no velocities, and rewards of 1/200."""

    def observe(self):
        return self.state[:, [0, 2]].astype(np.float32)

    def advance(self, actions):
        rewards, fallen = super().advance(actions)
        return rewards / 200, fallen


class MountainCar(Dynamics):
    def __init__(self):
        self.env = gymnasium_env("MountainCar-v0")

    def first(self, rng, count):
        return np.stack([rng.uniform(-0.6, -0.4, count), np.zeros(count)], axis=1)

    def advance(self, actions):
        e, (x, v) = self.env, self.state.T
        v = np.clip(v + (actions - 1) * e.force - np.cos(3 * x) * e.gravity, -e.max_speed, e.max_speed)
        x = np.clip(x + v, e.min_position, e.max_position)
        v = np.where((x == e.min_position) & (v < 0), 0, v)
        self.state = np.stack([x, v], axis=1)
        return -np.ones(len(actions)), (x >= e.goal_position) & (v >= e.goal_velocity)


class Pendulum(Dynamics):
    """Five torques instead of an interval of them."""

    torques = np.linspace(-2, 2, 5)

    def __init__(self):
        self.env = gymnasium_env("Pendulum-v1")

    def first(self, rng, count):
        return rng.uniform([-np.pi, -1], [np.pi, 1], (count, 2))

    def observe(self):
        angle, turn = self.state.T
        return np.stack([np.cos(angle), np.sin(angle), turn], axis=1).astype(np.float32)

    def advance(self, actions):
        e, (angle, turn), torque = self.env, self.state.T, self.torques[actions]
        wrapped = (angle + np.pi) % (2 * np.pi) - np.pi
        cost = wrapped**2 + 0.1 * turn**2 + 0.001 * torque**2
        turn = turn + (3 * e.g / (2 * e.l) * np.sin(angle) + 3 / (e.m * e.l**2) * torque) * e.dt
        turn = np.clip(turn, -e.max_speed, e.max_speed)
        self.state = np.stack([angle + turn * e.dt, turn], axis=1)
        return -cost, np.zeros(len(actions), bool)


class Acrobot(Dynamics):
    def __init__(self):
        self.env = gymnasium_env("Acrobot-v1")

    def first(self, rng, count):
        return rng.uniform(-0.1, 0.1, (count, 4)).astype(np.float32).astype(float)

    def observe(self):
        a, b, u, v = self.state.T
        return np.stack([np.cos(a), np.sin(a), np.cos(b), np.sin(b), u, v], axis=1).astype(np.float32)

    def slope(self, state, torque):
        e, (a, b, u, v), g = self.env, state.T, 9.8
        m, l, c, i = e.LINK_MASS_2, e.LINK_LENGTH_1, e.LINK_COM_POS_2, e.LINK_MOI
        d1 = e.LINK_MASS_1 * e.LINK_COM_POS_1**2 + m * (l**2 + c**2 + 2 * l * c * np.cos(b)) + 2 * i
        d2 = m * (c**2 + l * c * np.cos(b)) + i
        pull2 = m * c * g * np.sin(a + b)
        pull1 = (-m * l * c * v * (v + 2 * u) * np.sin(b) + (e.LINK_MASS_1 * e.LINK_COM_POS_1 + m * l) * g * np.sin(a) + pull2)
        turn2 = (torque + d2 / d1 * pull1 - m * l * c * u**2 * np.sin(b) - pull2) / (m * c**2 + i - d2**2 / d1)
        return np.stack([u, v, -(d2 * turn2 + pull1) / d1, turn2], axis=1)

    def advance(self, actions):
        e, torque, y, h = self.env, np.array(self.env.AVAIL_TORQUE)[actions], self.state, self.env.dt
        k1 = self.slope(y, torque)
        k2 = self.slope(y + h / 2 * k1, torque)
        k3 = self.slope(y + h / 2 * k2, torque)
        k4 = self.slope(y + h * k3, torque)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y[:, :2] = (y[:, :2] + np.pi) % (2 * np.pi) - np.pi
        y[:, 2] = np.clip(y[:, 2], -e.MAX_VEL_1, e.MAX_VEL_1)
        y[:, 3] = np.clip(y[:, 3], -e.MAX_VEL_2, e.MAX_VEL_2)
        self.state = y
        up = -np.cos(y[:, 0]) - np.cos(y[:, 1] + y[:, 0]) > 1
        return np.where(up, 0.0, -1.0), up


class Hiv(Dynamics):
    """whynot's HIV model (Adams et al.) with its own equations and rewards; an action (none, either, both drugs) is kept for
    five days. The clinic measures T cells and free virus: macrophages and the immune response stay hidden, and act for months.
    Rewards are in units of a hundred thousand; first states spread around that of an established infection."""

    drugs = np.array([[0, 0], [0, 0.3], [0.7, 0], [0.7, 0.3]])
    established = np.array([163573.0, 11945.0, 5.0, 46.0, 63919.0, 24.0])
    days, parts = 5, 100  # steps of Runge-Kutta in a day

    def __init__(self):
        self.model = whynot_simulator("hiv")
        self.config = self.model.Config()

    def first(self, rng, count):
        return self.established * np.exp(0.3 * rng.standard_normal((count, 6)))

    def observe(self):
        s = self.state
        return np.log10(np.stack([s[:, 0] + s[:, 1], s[:, 4]], axis=1)).astype(np.float32)

    def slope(self, state, config):
        return np.stack(self.model.dynamics(state.T, 0.0, config), axis=1)

    def day(self, state, config):
        h = 1 / self.parts
        for _ in range(self.parts):
            k1 = self.slope(state, config)
            k2 = self.slope(state + h / 2 * k1, config)
            k3 = self.slope(state + h / 2 * k2, config)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + self.slope(state + h * k3, config))
        return state

    def advance(self, actions):
        self.config.epsilon_1, self.config.epsilon_2 = self.drugs[actions].T
        cost = 20000 * (self.drugs[actions] ** 2).sum(axis=1)
        rewards = np.zeros(len(actions))
        for _ in range(self.days):
            self.state = self.day(self.state, self.config)
            rewards += (1000 * self.state[:, 5] - 0.1 * self.state[:, 4] - cost) / 1e5
        return rewards, np.zeros(len(actions), bool)
