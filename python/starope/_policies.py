"""Policies as users have them, asked in batches: functions, arrays, scikit-learn, torch, Stable-Baselines3."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays as arrays
from ._arrays import Columns
from ._errors import InvalidArgument, PolicyError, WrongType, optional

if TYPE_CHECKING:
    from ._data import Dataset

BATCH = 65_536  # states that a policy is asked about at a time
TOLERANCE = 1e-6  # of the sum of the probabilities, per action: what single precision leaves


def policy_columns(data: Dataset, policy: Any, who: str, before: int = 0) -> Columns:
    """The columns that a policy gives to these logs; `before` them there are so many steps."""
    ask = _function_of(policy)
    if ask is not None:
        return _with_all(data, _asked(data, ask, who, before), who, policy)
    if isinstance(policy, os.PathLike):
        raise WrongType(f"{who}={policy!r}: a file has a target policy; a behavior policy comes as probabilities or as a function")
    if isinstance(policy, str):
        raise WrongType(f"{who}={policy!r}: a Dataset has no further columns. Name the column when the Dataset is made; a policy in a file is "
                        "given as pathlib.Path(...)")
    array = arrays.as_array(who, policy)
    if array.ndim == 2 and array.shape[1] != 1:
        given = arrays.distribution(who, array, data.steps)
        return _with_all(data, _checked(given, data, who, 0, before), who)
    return {f"{who}_prob": arrays.column(who, array, data.steps)}


def asks(policy: Any) -> bool:
    """Whether it has to be asked, with the logs at hand: a function, a model, a file."""
    return callable(policy) or hasattr(policy, "predict_proba") or hasattr(policy, "predict") or isinstance(policy, os.PathLike)


def _function_of(policy: Any) -> Callable[[NDArray[Any]], Any] | None:
    if hasattr(policy, "predict_proba"):
        return lambda states: _of_classes(policy, policy.predict_proba(states if np.ndim(states) > 1 else np.asarray(states).reshape(-1, 1)))
    if hasattr(policy, "state_dict") and hasattr(policy, "parameters"):
        raise WrongType(f"a torch module ({type(policy).__name__}) takes tensors, and may give logits: pass starope.from_torch(module)")
    if hasattr(policy, "obs_to_tensor") or (hasattr(policy, "policy") and hasattr(policy, "predict")):
        raise WrongType(f"a model of Stable-Baselines3 ({type(policy).__name__}): pass starope.from_sb3(model)")
    if hasattr(policy, "predict") and not callable(policy):
        raise WrongType(f"{type(policy).__name__} chooses, and has no predict_proba: pass starope.epsilon_greedy(model.predict, actions, epsilon)")
    return policy if callable(policy) else None


def _of_classes(model: Any, probabilities: Any) -> Any:
    """The columns of a classifier are the classes that it has seen: each goes to the action of its number, and others have none."""
    classes = getattr(model, "classes_", None)
    if classes is None or np.ndim(probabilities) != 2:
        return probabilities
    numbers = np.asarray(classes)
    if numbers.ndim != 1 or len(numbers) != np.shape(probabilities)[1]:
        return probabilities
    if numbers.dtype.kind not in "biuf" or (numbers != np.floor(numbers)).any() or (len(numbers) and numbers.min() < 0):
        raise PolicyError(f"the classes of {type(model).__name__} are {numbers.tolist()[:8]}, which are no numbers of actions. Fit it to actions that are "
                          "numbered from 0")
    if np.array_equal(numbers, np.arange(len(numbers))):
        return probabilities
    spread = np.zeros((len(probabilities), int(numbers.max()) + 1))
    spread[:, numbers.astype(np.int64)] = probabilities
    return spread


def _names_actions(policy: Any) -> bool:
    """Whether it says which actions it knows: all others have the probability 0."""
    return hasattr(policy, "predict_proba") and getattr(policy, "classes_", None) is not None


def _with_all(data: Dataset, probabilities: NDArray[np.float64], who: str, policy: Any = None) -> Columns:
    actions = data.actions
    if actions is None or data.action_count is None:
        raise InvalidArgument(f"{who}: a policy gives the probabilities of discrete actions, and the logs have none. Give action=, or "
                              f"the density of each logged action as an array")
    if data.action_count > probabilities.shape[1] and _names_actions(policy):
        probabilities = np.pad(probabilities, ((0, 0), (0, data.action_count - probabilities.shape[1])))
    width = probabilities.shape[1]
    if width < data.action_count and (len(actions) and int(actions.max()) >= width):
        raise PolicyError(f"{who}: the policy knows {width} actions, but action {int(actions.max())} was logged")
    columns: Columns = {"action_ids": np.ascontiguousarray(actions, dtype=np.int32), "actions": width,
                        f"{who}_probs": probabilities,
                        f"{who}_prob": np.ascontiguousarray(probabilities[np.arange(len(actions)), actions])}
    other = "behavior" if who == "target" else "target"
    theirs = data.behavior_probs if other == "behavior" else data.target_probs
    if theirs is not None and theirs.shape[1] != width:
        raise PolicyError(f"{who}: the policy gives {width} probabilities, but the logs have {theirs.shape[1]} of the {other} policy. "
                          "Both must know the same actions")
    return columns


def _asked(data: Dataset, ask: Callable[[NDArray[Any]], Any], who: str, before: int) -> NDArray[np.float64]:
    states = data.states
    if states is None:
        raise InvalidArgument(f"{who}: a policy needs the states of the logs. Give state=")
    parts: list[NDArray[np.float64]] = []
    for first in range(0, data.steps, BATCH):
        batch = states[first:first + BATCH]
        answer = arrays.reals(who, ask(batch))
        if answer.ndim != 2 or len(answer) != len(batch):
            raise PolicyError(f"{who}: the policy returned an array of the shape {answer.shape} for {len(batch)} states; "
                              f"({len(batch)}, number of actions) is needed: the probability of every action in every state")
        if parts and answer.shape[1] != parts[0].shape[1]:
            raise PolicyError(f"{who}: the policy returned {answer.shape[1]} probabilities, and {parts[0].shape[1]} in the batch before")
        parts.append(np.array(_checked(answer, data, who, first, before)))  # a policy may write into its answer again
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _checked(probabilities: NDArray[np.float64], data: Dataset, who: str, first: int, before: int) -> NDArray[np.float64]:
    """Rows that are distributions; else an error that names the first that is none."""
    sums = probabilities.sum(axis=1)
    right = np.isfinite(sums) & (np.abs(sums - 1.0) <= TOLERANCE * probabilities.shape[1])
    right &= (probabilities >= 0.0).all(axis=1)
    if right.all():
        return probabilities
    row = int(np.flatnonzero(~right)[0])
    step = first + row
    episode = int(np.searchsorted(data.offsets, step, side="right")) - 1
    name, t = data._logs.episode_name(episode), step - int(data.offsets[episode])
    shown = ", ".join(f"{p:g}" for p in probabilities[row][:8]) + (", ..." if probabilities.shape[1] > 8 else "")
    error = PolicyError(f"{who}: the policy gave [{shown}] in row {before + step} (episode {name}, step {t}), which sums to {sums[row]:g}; "
                        "probabilities must not be negative and must sum to 1. Normalize them, for example with a softmax")
    error.row = before + step
    raise error


# ---- Adapters ------------------------------------------------------------------------------------------------------


def from_torch(module: Any, *, logits: bool = True, device: str | None = None) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
    """A torch module that maps states (n, d) to one number per action: its softmax, or itself if logits=False."""
    torch = optional("torch", "from_torch")

    def policy(states: NDArray[Any]) -> NDArray[np.float64]:
        module.eval()
        where = device or next((str(p.device) for p in module.parameters()), "cpu")
        with torch.no_grad():
            given = torch.as_tensor(np.array(states), dtype=torch.float32, device=where)
            out = module(given).double()
            out = torch.softmax(out, dim=-1) if logits else out
        return np.asarray(out.cpu().numpy(), dtype=np.float64)

    return policy


def from_sb3(model: Any) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
    """A trained model of Stable-Baselines3 with a policy that gives probabilities of discrete actions (PPO, A2C, ...)."""

    def policy(states: NDArray[Any]) -> NDArray[np.float64]:
        given, _ = model.policy.obs_to_tensor(np.array(states))
        made = getattr(model.policy, "get_distribution", None)
        distribution: Any = None if made is None else getattr(made(given), "distribution", None)
        if not hasattr(distribution, "probs"):
            raise PolicyError(f"from_sb3: a policy of {type(model).__name__} has no probabilities of discrete actions. One that chooses is made a policy "
                              "by epsilon_greedy(lambda states: model.predict(states, deterministic=True)[0], actions, epsilon)")
        return np.asarray(distribution.probs.detach().cpu().double().numpy())

    return policy


def epsilon_greedy(choose: Callable[[NDArray[Any]], Any], actions: int, epsilon: float = 0.0) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
    """A policy that takes choose(states) -> actions (n,), except with probability epsilon, when it takes any one."""
    if not 0.0 <= epsilon <= 1.0:
        raise InvalidArgument(f"epsilon={epsilon!r}: must be from 0 to 1")

    def policy(states: NDArray[Any]) -> NDArray[np.float64]:
        chosen = arrays.whole("epsilon_greedy", arrays.as_array("epsilon_greedy", choose(states)).reshape(-1), "choose(states) gives the numbers of actions")
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= actions):
            raise PolicyError(f"epsilon_greedy: {chosen.min() if chosen.min() < 0 else chosen.max()} was chosen, which is not one of the actions 0..{actions - 1}")
        probabilities = np.full((len(chosen), actions), epsilon / actions)
        probabilities[np.arange(len(chosen)), chosen] += 1.0 - epsilon
        return probabilities

    return policy
