#!/usr/bin/env python3
"""Compares every environment of vectorized.py and glucose.py with its original, step by step, on random actions from the
same states. Prints the largest difference of each; exit code 1 if one is more than rounding (or the originals' own solver
tolerance for the two differential equations)."""

import sys

import gymnasium
import numpy as np

import vectorized
from glucose import Glucose, Patient, first_state, parameters


def compare_gymnasium(batch, env, act=lambda a: a, episodes=20, steps=150):
    """The original gets the batch's state before every episode and then runs on its own."""
    rng, worst = np.random.default_rng(1), 0.0
    actions = env.action_space.n if hasattr(env.action_space, "n") else 5
    for _ in range(episodes):
        batch.reset(rng, 1)
        env.reset(seed=0)
        env.state = batch.state[0].copy()
        for _ in range(steps):
            action = int(rng.integers(actions))
            seen, reward, ended = batch.step(np.array([action]), np.ones(1, bool))
            original, original_reward, original_ended, _, _ = env.step(act(action))
            worst = max(worst, np.abs(seen[0] - original).max(), abs(reward[0] - original_reward))
            if ended[0] != original_ended:
                return np.inf
            if original_ended:
                break
    return worst


def compare_popgym():
    import popgym.envs.position_only_cartpole as module
    return compare_gymnasium(vectorized.PositionOnlyCartPole(), module.PositionOnlyCartPoleEasy())


def compare_hiv(steps=30):
    """Against whynot's own solver at its own tolerance, relative."""
    batch, rng, worst = vectorized.Hiv(), np.random.default_rng(2), 0.0
    model = batch.model
    batch.reset(rng, 2)
    states = [model.State(*row) for row in batch.state]
    for _ in range(steps):
        actions = rng.integers(4, size=2)
        _, rewards, _ = batch.step(actions, np.ones(2, bool))
        for i, action in enumerate(actions):
            total = 0.0
            for _ in range(batch.days):
                e1, e2 = batch.drugs[action]
                config = model.Config(start_time=0, end_time=1.0, delta_t=1.0, epsilon_1=e1, epsilon_2=e2)
                states[i] = model.simulate(states[i], config).states[1]
                total += (1000 * states[i].immune_response - 0.1 * states[i].free_virus - 20000 * (e1**2 + e2**2)) / 1e5
            original = np.array(states[i].values())
            worst = max(worst, np.abs(batch.state[i] / original - 1).max(), abs(rewards[i] - total))
    return worst


def compare_glucose(minutes=1440):
    """Against the original patient, minute by minute, relative to the size of each state."""
    from simglucose.patient.t1dpatient import Action, T1DPatient
    rng, worst = np.random.default_rng(3), 0.0
    params = parameters("adult#001")
    original = T1DPatient(params, init_state=first_state(params))  # without it, it fails with recent versions of pandas
    ours = Patient(params)
    ours.reset(1)
    rate, size = ours.basal, np.maximum(np.abs(ours.x[0]), 1.0)
    meals = {60: 45.0, 380: 80.0, 385: 10.0, 800: 70.0}
    for minute in range(minutes):
        if minute % Glucose.minutes == 0:
            rate = ours.basal * float(rng.choice(Glucose.doses))
        meal = meals.get(minute, 0.0)
        ours.minute(np.array([meal]), np.array([rate]))
        original.step(Action(CHO=meal, insulin=rate))
        size = np.maximum(size, np.abs(original.state))
        worst = max(worst, (np.abs(ours.x[0] - original.state) / size).max())
    return worst


def main():
    original = lambda name: gymnasium.make(name).unwrapped  # noqa: E731
    torque = lambda a: np.array([vectorized.Pendulum.torques[a]])  # noqa: E731
    checks = [("CartPole", lambda: compare_gymnasium(vectorized.CartPole(), original("CartPole-v1")), 1e-5),
              ("PositionOnlyCartPole", compare_popgym, 1e-5),
              ("MountainCar", lambda: compare_gymnasium(vectorized.MountainCar(), original("MountainCar-v0")), 1e-5),
              ("Pendulum", lambda: compare_gymnasium(vectorized.Pendulum(), original("Pendulum-v1"), torque), 1e-5),
              ("Acrobot", lambda: compare_gymnasium(vectorized.Acrobot(), original("Acrobot-v1"), steps=60), 1e-3),
              ("Hiv", compare_hiv, 1e-3),
              ("Glucose", compare_glucose, 1e-3)]
    failed = 0
    for name, check, allowed in checks:
        worst = check()
        failed += not worst <= allowed
        print(f"{name:22} largest difference {worst:.1e}, allowed {allowed:.0e}{'' if worst <= allowed else '  TOO LARGE'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
