"""Logs of Gymnasium environments, with the probabilities of the policy that acts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays as arrays
from ._columns import Classifier, Policy, Target
from ._data import Dataset
from ._errors import InvalidArgument, PolicyError, WrongType
from ._evaluate import _count, _seed
from ._policies import TOLERANCE, _function_of
from ._spaces import rows_of


class _Episode:
    """Takes down one episode."""

    def __init__(self) -> None:
        self.states: list[Any] = []
        self.actions: list[int] = []
        self.rewards: list[float] = []
        self.probabilities: list[NDArray[np.float64]] = []
        self.truncated = False
        self.final: Any = None

    def step(self, state: Any, action: int, reward: float, probabilities: NDArray[np.float64]) -> None:
        self.states.append(state)
        self.actions.append(action)
        self.rewards.append(float(reward))
        self.probabilities.append(probabilities)

    def end(self, final: Any, truncated: bool) -> None:
        self.final, self.truncated = final, truncated


def record(env: Any, policy: Policy | Classifier, *, episodes: int, horizon: int | None = None, seed: int = 0,
           target: Target = None) -> Dataset:
    """Lets a policy act in a Gymnasium environment (one, or vectorized) and logs it for `evaluate`.

    policy: a function (states) -> (n, actions) of probabilities, as everywhere; actions are drawn from them.
    horizon: an episode that reaches it is cut there. seed: the same one gives the same logs.
    target: the policy in question, if it is known already.
    """
    count, most, start = _count("episodes", episodes), _count("horizon", horizon), _seed(seed)
    if count is None:
        raise WrongType("episodes=None: a whole number is needed")
    ask = _function_of(policy)
    if ask is None:
        raise InvalidArgument("policy: a function (states) -> (n, actions), or an object with predict_proba, is needed to act")
    several = hasattr(env, "num_envs") and getattr(env, "num_envs") is not None and hasattr(env, "single_action_space")
    space = env.single_action_space if several else getattr(env, "action_space", None)
    if space is None or not hasattr(env, "reset"):
        raise WrongType(f"env: an environment of Gymnasium is needed, not {type(env).__name__}. Make one: gymnasium.make(name)")
    if not hasattr(space, "n"):
        raise InvalidArgument(f"env: actions are {space}; record needs discrete ones")
    player = _Player(ask, int(space.n), int(getattr(space, "start", 0)))
    played = _several(env, player, count, most, start) if several else _one(env, player, count, most, start)
    return _logs(list(played), player.actions, target)


class _Player:
    """Asks the policy and draws from what it says."""

    def __init__(self, ask: Any, actions: int, first: int) -> None:
        self.ask, self.actions, self.first = ask, actions, first

    def probabilities(self, observations: Any) -> NDArray[np.float64]:
        states, _ = rows_of(observations)
        answer = np.array(arrays.reals("policy", self.ask(states)))  # which it may write into again
        if answer.shape != (len(states), self.actions):
            raise PolicyError(f"policy: returned the shape {answer.shape} for {len(states)} states; ({len(states)}, {self.actions}) is needed")
        wrong = (answer < 0).any(axis=1) | ~(np.abs(answer.sum(axis=1) - 1) <= TOLERANCE * self.actions)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise PolicyError(f"policy: gave {answer[row].tolist()} in the state {np.asarray(states[row]).tolist()}; probabilities must not be "
                              "negative and must sum to 1")
        return answer

    def draw(self, probabilities: NDArray[np.float64], random: np.random.Generator) -> int:
        # The first action whose running sum exceeds u; if rounding leaves none, the last one that is possible.
        at = int(np.searchsorted(np.cumsum(probabilities), random.random(), side="right"))
        return at if at < self.actions else int(np.flatnonzero(probabilities > 0)[-1])


def _batched(observation: Any) -> Any:
    """One observation as a batch of one."""
    if isinstance(observation, dict):
        return {key: _batched(each) for key, each in observation.items()}
    if isinstance(observation, tuple):
        return tuple(_batched(each) for each in observation)
    return np.asarray(observation)[None]


def _copied(observation: Any) -> Any:
    """Some environments write every observation into the same array."""
    if isinstance(observation, dict):
        return {key: _copied(each) for key, each in observation.items()}
    return tuple(map(_copied, observation)) if isinstance(observation, tuple) else np.array(observation)


def _picked(observations: Any, i: int) -> Any:
    if isinstance(observations, dict):
        return {key: _picked(each, i) for key, each in observations.items()}
    if isinstance(observations, tuple):
        return tuple(_picked(each, i) for each in observations)
    return np.array(observations[i])


def _one(env: Any, player: _Player, episodes: int, horizon: int | None, seed: int) -> Iterator[_Episode]:
    for i in range(episodes):
        # Every episode is a function of (seed, its number).
        sequence = np.random.SeedSequence([seed, i])
        random = np.random.default_rng(sequence)
        observation, _ = env.reset(seed=int(sequence.generate_state(1)[0] >> 1))
        episode, ended, cut = _Episode(), False, False
        while not ended and not cut:
            observation = _copied(observation)
            probabilities = player.probabilities(_batched(observation))[0]
            action = player.draw(probabilities, random)
            following, reward, ended, cut, _ = env.step(player.first + action)
            episode.step(observation, action, reward, probabilities)
            observation = following
            cut = bool(cut) or (horizon is not None and len(episode.rewards) == horizon)
        episode.end(_copied(observation), not ended)
        yield episode


def _several(env: Any, player: _Player, episodes: int, horizon: int | None, seed: int) -> list[_Episode]:
    """Every environment plays its share: whoever took the first that end would take the short ones."""
    share = [episodes // env.num_envs + (i < episodes % env.num_envs) for i in range(env.num_envs)]
    mode = str(getattr(getattr(env, "metadata", {}).get("autoreset_mode"), "name", "NEXT_STEP"))
    random = np.random.default_rng([seed, env.num_envs])
    observations, _ = env.reset(seed=seed)
    running: list[_Episode | None] = [_Episode() for _ in share]
    finished: list[list[_Episode]] = [[] for _ in share]
    while any(len(done) < wanted for done, wanted in zip(finished, share)):
        observations = _copied(observations)
        probabilities = player.probabilities(observations)
        actions = np.array([player.draw(each, random) for each in probabilities])
        following, rewards, ended, cut, infos = env.step(player.first + actions)
        over = np.zeros(env.num_envs, dtype=bool)
        for i in range(env.num_envs):
            episode = running[i]
            if episode is None:  # this step only started the next episode
                running[i] = _Episode()
                continue
            full = horizon is not None and len(episode.rewards) >= horizon
            if not full:
                episode.step(_picked(observations, i), int(actions[i]), rewards[i], probabilities[i])
            over[i] = bool(ended[i] or cut[i])
            if not full and (over[i] or (horizon is not None and len(episode.rewards) == horizon)):
                last = _last(following, infos, i) if mode == "SAME_STEP" and over[i] else _picked(following, i)
                episode.end(last, not bool(ended[i]))
                if len(finished[i]) < share[i]:
                    finished[i].append(episode)
            if over[i]:
                running[i] = None if mode == "NEXT_STEP" else _Episode()
        observations = following
        if mode == "DISABLED" and over.any():
            observations, _ = env.reset(options={"reset_mask": over})
    return [episode for done in finished for episode in done]


def _last(following: Any, infos: dict[str, Any], i: int) -> Any:
    final = infos.get("final_obs", infos.get("final_observation"))
    return _picked(following, i) if final is None else final[i]


def _stacked(observations: list[Any]) -> Any:
    first = observations[0]
    if isinstance(first, dict):
        return {key: _stacked([each[key] for each in observations]) for key in first}
    if isinstance(first, tuple):
        return tuple(_stacked([each[i] for each in observations]) for i in range(len(first)))
    return np.stack([np.asarray(each) for each in observations])


def _logs(played: list[_Episode], actions: int, target: Target) -> Dataset:
    lengths = [len(each.rewards) for each in played]
    states, names = rows_of(_stacked([state for each in played for state in each.states] + [each.final for each in played]))
    steps = sum(lengths)
    probabilities = np.concatenate([np.stack(each.probabilities) for each in played])
    chosen = np.array([action for each in played for action in each.actions], dtype=np.int32)
    return Dataset(state=states[:steps], final_state=states[steps:], action=chosen, actions=actions,
                   reward=np.array([reward for each in played for reward in each.rewards]),
                   behavior_probs=probabilities, offsets=np.concatenate([[0], np.cumsum(lengths)]),
                   truncated=np.array([each.truncated for each in played]), state_names=names or None, target=target)


__all__ = ["record"]
