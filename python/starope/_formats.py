"""Logs as other projects keep them: Minari, D4RL, RLlib, LeRobot, SCOPE-RL, OBP."""

from __future__ import annotations

import glob
import importlib
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import as_array
from ._columns import Behavior, Target
from ._data import Dataset
from ._errors import FileError, InvalidArgument, MissingPackage, WrongType, optional
from ._evaluate import _count
from ._policies import asks
from ._spaces import rows_of

Path = str | os.PathLike[str]

# Where loggers put the probability of what they did; nothing is standard.
_PROBABILITIES = ("behavior_prob", "action_prob", "action_probs", "pscore", "prob")
_LOGARITHMS = ("behavior_logp", "action_logp", "action_log_prob", "action_log_probs", "log_prob", "log_probs", "logprob", "logp")


def _is_log(name: str) -> bool:
    return name.rpartition("/")[2] in _LOGARITHMS or "log" in name.rpartition("/")[2]


def _behavior(values: Any, name: str) -> dict[str, Any]:
    return {"behavior_logp" if _is_log(name) else "behavior_prob": values}


# ---- Minari --------------------------------------------------------------------------------------------------------


def from_minari(dataset: Any, *, behavior: Behavior = None, target: Target = None) -> Dataset:
    """A data set of Minari: its id, its folder, or the object. No environment is needed.

    behavior: where in the infos the probability of the logged action is ("infos/action_logp"; names with "log" in them are
      logarithms), or the policy itself, or an array; by default the usual names are looked for.
    """
    minari = optional("minari", "from_minari")
    if isinstance(dataset, (str, os.PathLike)):
        text = os.fspath(dataset)
        folder = os.path.join(text, "data") if os.path.isdir(os.path.join(text, "data")) else text
        try:
            dataset = minari.MinariDataset(folder) if os.path.isdir(folder) else minari.load_dataset(text)
        except (OSError, ValueError) as error:
            raise FileError(f"from_minari: {error}") from error
    if not hasattr(dataset, "iterate_episodes"):
        raise WrongType(f"from_minari: the id of a data set of Minari, its folder or the object is needed, not {type(dataset).__name__}")
    episodes = list(dataset.iterate_episodes())
    if not episodes:
        raise InvalidArgument("from_minari: the data set has no episodes")
    lengths = [len(each.rewards) for each in episodes]
    # T + 1 observations: the last one follows the last step.
    steps = [rows_of(_part(each.observations, 0, length)) for each, length in zip(episodes, lengths)]
    finals = [rows_of(_part(each.observations, length, length + 1))[0] for each, length in zip(episodes, lengths)]
    ended = np.array([bool(each.terminations[-1]) for each in episodes])
    found: dict[str, Any] = {}
    if behavior is None or isinstance(behavior, str):
        name = _info_name(episodes[0].infos, behavior)
        lacks = None if name is None else next((each.id for each in episodes if name not in _infos(each.infos)), None)
        if lacks is not None:
            raise InvalidArgument(f"infos/{name}: the first episode has it, and episode {lacks} has not. Give behavior= as a policy or an array")
        if name is not None:
            found = _behavior(np.concatenate([_info(each.infos, name, length) for each, length in zip(episodes, lengths)]), name)
    else:
        found = {"behavior_prob": behavior}
    action = np.concatenate([_actions(each.actions) for each in episodes]) - int(getattr(dataset.action_space, "start", 0) or 0)
    return Dataset(state=np.concatenate([rows for rows, _ in steps]), final_state=np.concatenate(finals), state_names=steps[0][1] or None,
                   action=action, actions=_size(getattr(dataset.action_space, "n", None)),
                   reward=np.concatenate([each.rewards for each in episodes]), terminated=ended,
                   offsets=np.concatenate([[0], np.cumsum(lengths)]), episode=np.array([int(each.id) for each in episodes]),
                   target=target, **found)


def _size(n: Any) -> int | None:
    return int(n) if n is not None and np.ndim(n) == 0 else None


def _actions(actions: Any) -> NDArray[Any]:
    if isinstance(actions, (Mapping, tuple)):
        return rows_of(actions)[0].astype(np.float64)
    return np.asarray(actions)


def _part(values: Any, first: int, last: int) -> Any:
    if isinstance(values, Mapping):
        return {key: _part(each, first, last) for key, each in values.items()}
    if isinstance(values, tuple):
        return tuple(_part(each, first, last) for each in values)
    return np.asarray(values)[first:last]


def _infos(infos: Any, before: str = "") -> dict[str, Any]:
    """All arrays of nested infos by their path."""
    found: dict[str, Any] = {}
    for key, each in (infos or {}).items():
        name = f"{before}/{key}" if before else str(key)
        if isinstance(each, Mapping):
            found |= _infos(each, name)
        else:
            found[name] = each
    return found


def _info_name(infos: Any, wanted: str | None) -> str | None:
    known = _infos(infos)
    if wanted is None:
        return next((name for usual in (*_PROBABILITIES, *_LOGARITHMS) for name in known if name.rpartition("/")[2] == usual), None)
    name = wanted.removeprefix("infos/")
    if name not in known:
        raise InvalidArgument(f"behavior={wanted!r}: the infos have no such entry. They have: {', '.join(known) or 'none'}")
    return name


def _info(infos: Any, name: str, steps: int) -> NDArray[np.float64]:
    """One value per step. Row 0 of T + 1 is what reset said."""
    values = np.asarray(_infos(infos)[name], dtype=np.float64).reshape(-1)
    if len(values) not in (steps, steps + 1):
        raise InvalidArgument(f"infos/{name}: {len(values)} values in an episode of {steps} steps; {steps} or {steps + 1} are needed")
    return values[len(values) - steps:]


# ---- D4RL ----------------------------------------------------------------------------------------------------------


def from_d4rl(data: Path | Mapping[str, Any], *, behavior: Behavior = None, target: Target = None,
              max_episode_steps: int | None = None) -> Dataset:
    """A file of D4RL (HDF5), or its arrays by name. Episodes end at terminals and timeouts; an unfinished last one counts as truncated.

    behavior: the name of the probabilities or their logarithms (default: infos/action_log_probs, if it is there), or values.
    max_episode_steps: where the file has no timeouts.
    """
    arrays = _with_keys("from_d4rl", _d4rl_arrays(data) if isinstance(data, (str, os.PathLike)) else data, "observations", "actions", "rewards", "terminals")
    rewards, ended = np.asarray(arrays["rewards"]).reshape(-1), np.asarray(arrays["terminals"]).reshape(-1).astype(bool)
    n = len(rewards)
    if n == 0:
        raise InvalidArgument("from_d4rl: there are no steps")
    _of_length("from_d4rl", n, terminals=ended, timeouts=arrays.get("timeouts"), actions=arrays["actions"], observations=arrays["observations"])
    if "timeouts" in arrays:
        last = ended | np.asarray(arrays["timeouts"]).reshape(-1).astype(bool)
    elif max_episode_steps is None:
        raise InvalidArgument("from_d4rl: no 'timeouts' among the arrays. Give max_episode_steps=, after which episodes were cut")
    else:
        last = _cut_after(ended, _count("max_episode_steps", max_episode_steps) or n)
    last[-1] = True
    offsets = np.concatenate([[0], np.flatnonzero(last) + 1])
    final = None
    if "next_observations" in arrays:
        final = np.asarray(arrays["next_observations"])[offsets[1:] - 1]
    found: dict[str, Any] = {}
    if isinstance(behavior, str) or behavior is None:
        name = behavior or next((each for each in ("infos/action_log_probs", "infos/action_log_prob") if each in arrays), None)
        if name is not None:
            if name not in arrays:
                raise InvalidArgument(f"behavior={name!r}: no such array. There are: {', '.join(arrays)}")
            found = _behavior(np.asarray(arrays[name]).reshape(n).astype(np.float64), name)
    else:
        found = {"behavior_prob": behavior}
    return Dataset(state=np.asarray(arrays["observations"]), action=np.asarray(arrays["actions"]), reward=rewards, offsets=offsets,
                   terminated=ended[offsets[1:] - 1], final_state=final, target=target, **found)


def _of_length(what: str, steps: int, **arrays: Any) -> None:
    for name, values in arrays.items():
        if values is not None and not callable(values) and np.ndim(values) > 0 and len(values) != steps:
            raise InvalidArgument(f"{what}: {len(values)} rows of {name} for {steps} steps; one for each is needed")


def _cut_after(ended: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
    last: NDArray[np.bool_] = np.array(ended)
    length = 0
    for i in range(len(last)):
        length += 1
        if length == most:
            last[i] = True
        if last[i]:
            length = 0
    return last


def _d4rl_arrays(path: Path) -> dict[str, Any]:
    h5py = optional("h5py", "from_d4rl")
    found: dict[str, Any] = {}

    def take(name: str, each: Any) -> None:
        if isinstance(each, h5py.Dataset) and each.ndim > 0 and not name.startswith("metadata/"):
            found[name] = each[()]

    try:
        with h5py.File(path, "r") as file:
            file.visititems(take)
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: {error}") from error
    return found


# ---- RLlib ---------------------------------------------------------------------------------------------------------


def from_rllib(data: Path | Iterable[Path] | Any, *, target: Target = None, behavior_prob: Any = None, **columns: str) -> Dataset:
    """Logs of RLlib: JSON lines of SampleBatches (files or patterns), or its columnar Parquet (files, folders, or any table).

    columns: other names than RLlib's own, such as obs="o_t".
    """
    usual = {"eps_id": "eps_id", "t": "t", "obs": "obs", "actions": "actions", "rewards": "rewards", "terminateds": "terminateds",
             "truncateds": "truncateds", "action_logp": "action_logp", "action_prob": "action_prob"}
    for name in columns:
        if name not in usual:
            raise WrongType(f"from_rllib has no argument '{name}': the columns of RLlib are {', '.join(usual)}")
    names = usual | columns
    if not isinstance(data, (str, os.PathLike, list, tuple)):
        return _rllib_table(data, names, target, behavior_prob)
    files = _files(data, (".json", ".jsonl", ".parquet"))
    if all(each.endswith(".parquet") for each in files):
        return _rllib_table(_parquet(files), names, target, behavior_prob)
    return _rllib_batches(files, names, target, behavior_prob)


def _files(data: Path | Iterable[Path], endings: tuple[str, ...]) -> list[str]:
    given = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    found: list[str] = []
    for each in given:
        text = os.fspath(each)
        if os.path.isdir(text):
            found += sorted(path for ending in endings for path in glob.glob(os.path.join(text, "**", f"*{ending}"), recursive=True))
        else:
            found += sorted(glob.glob(text)) or [text]
    if not given:
        raise InvalidArgument(f"no files were given: name files or folders {' or '.join(endings)}")
    if not found:
        raise FileError(f"{given[0]}: no files {' or '.join(endings)} there")
    for path in found:
        if not os.path.exists(path):
            raise FileError(f"{path}: no such file")
    return found


def _parquet(files: list[str]) -> Any:
    """One table of several Parquet files, by whoever is installed."""
    for package in ("polars", "pyarrow.parquet", "duckdb"):
        try:
            reader = importlib.import_module(package)
        except ImportError:
            continue
        if package == "polars":
            return reader.read_parquet(files)
        if package == "duckdb":
            return reader.read_parquet(files)
        return importlib.import_module("pyarrow").concat_tables([reader.read_table(each) for each in files])
    raise MissingPackage("Parquet files need polars, pyarrow or duckdb: pip install polars")


def _rllib_table(table: Any, names: dict[str, str], target: Target, behavior_prob: Any) -> Dataset:
    have = {str(each) for each in _columns_of(table)}
    if have == {"item"}:
        raise WrongType("from_rllib: these are whole episodes (msgpack). Record with output_write_episodes=False, or read them with RLlib")
    roles: dict[str, Any] = {"episode": names["eps_id"], "state": names["obs"], "action": names["actions"], "reward": names["rewards"]}
    for role, name in (("t", "t"), ("terminated", "terminateds"), ("truncated", "truncateds"), ("behavior_logp", "action_logp")):
        if names[name] in have:
            roles[role] = names[name]
    if behavior_prob is not None:
        roles.pop("behavior_logp", None)
        roles["behavior_prob"] = behavior_prob
    return Dataset(table, target=target, sort=True, **roles)


def _columns_of(table: Any) -> Iterable[Any]:
    schema = getattr(table, "schema", None)
    listed = getattr(schema, "names", None)
    return listed if isinstance(listed, list) else getattr(table, "columns", [])


def _rllib_batches(files: list[str], names: dict[str, str], target: Target, behavior_prob: Any) -> Dataset:
    parts: dict[str, list[Any]] = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    _add_batch(parts, _object_of(line, f"{path}, line {number}"), names, f"{path}, line {number}")
    if not parts.get("rewards"):
        raise FileError(f"{files[0]}: no steps in it")
    for needed in ("obs", "actions"):
        if needed not in parts:
            raise InvalidArgument(f"from_rllib: no '{names[needed]}' in {files[0]}. Name it: from_rllib(..., {needed}='its name')")
    merged = {key: as_array(names[key], values) for key, values in parts.items()}
    if "eps_id" not in merged:
        over = np.zeros(len(merged["rewards"]), dtype=bool)
        for flag in ("terminateds", "truncateds"):
            over |= merged[flag].astype(bool) if flag in merged else False
        merged["eps_id"] = np.concatenate([[0], np.cumsum(over)[:-1]])
    order = np.lexsort((merged.get("t", np.arange(len(merged["rewards"]))), merged["eps_id"]))
    merged = {key: values[order] for key, values in merged.items()}
    found: dict[str, Any] = {}
    steps = len(merged["rewards"])
    target = _in_order(target, order, steps)
    if behavior_prob is not None:
        found = {"behavior_prob": _in_order(behavior_prob, order, steps)}
    elif "action_prob" in merged:
        found = {"behavior_prob": merged["action_prob"]}
    elif "action_logp" in merged:
        found = {"behavior_logp": merged["action_logp"]}
    return Dataset(episode=merged["eps_id"], t=merged.get("t"), state=merged["obs"], action=merged["actions"], reward=merged["rewards"],
                   terminated=merged.get("terminateds"), truncated=merged.get("truncateds"), target=target, **found)


def _object_of(line: str, where: str) -> dict[str, Any]:
    try:
        batch = json.loads(line)
    except ValueError as error:
        raise FileError(f"{where}: no JSON ({error})") from None
    if not isinstance(batch, dict):
        raise FileError(f"{where}: {type(batch).__name__} instead of an object with the columns of a SampleBatch")
    return batch


def _in_order(policy: Any, order: NDArray[np.int64], steps: int) -> Any:
    """Probabilities that stand beside the steps of the files go where these go."""
    if policy is None or isinstance(policy, (str, os.PathLike)) or asks(policy):
        return policy
    array = as_array("target", policy)
    return array[order] if array.ndim > 0 and len(array) == steps else array


def _add_batch(parts: dict[str, list[Any]], batch: dict[str, Any], names: dict[str, str], where: str) -> None:
    if batch.get("type") == "MultiAgentBatch":
        policies = list(batch["policy_batches"].values())
        if len(policies) != 1:
            raise WrongType(f"{where}: {len(policies)} policies in one batch. Write a file for each, and evaluate them one by one")
        batch = policies[0]
    if "dones" in batch and "terminateds" not in batch:
        batch = {**batch, "terminateds": batch["dones"]}
    steps: int | None = None
    for key, name in names.items():
        if name not in batch:
            continue
        values = batch[name]
        if isinstance(values, str):
            raise WrongType(f"{where}: '{name}' is compressed with pickle inside, which is not safe to open. Record with "
                            "output_compress_columns=[], or convert the file with RLlib")
        values = values if isinstance(values, list) else [values]
        steps = steps or len(values)
        if len(values) != steps:
            raise InvalidArgument(f"{where}: {len(values)} values of '{name}' for {steps} steps")
        parts.setdefault(key, []).extend(values)
    if parts and len({len(each) for each in parts.values()}) != 1:
        raise InvalidArgument(f"{where}: not the same columns as in the lines before")


# ---- LeRobot -------------------------------------------------------------------------------------------------------


def from_lerobot(folder: Path | Any, *, behavior_prob: Any = None, behavior_logp: str | None = None, target: Target = None,
                 state: str | list[str] = "observation.state", reward: str = "next.reward") -> Dataset:
    """A data set of LeRobot: its folder (data/**/*.parquet), or any table with its columns.

    Its actions are continuous and it has no probabilities: name the columns that have their densities, or give them.
    """
    table = _parquet(_files(os.path.join(os.fspath(folder), "data"), (".parquet",))) if isinstance(folder, (str, os.PathLike)) else folder
    have = {str(each) for each in _columns_of(table)}
    for needed in ("episode_index", reward):
        if needed not in have:
            raise InvalidArgument(f"from_lerobot: no column '{needed}'. There are: {', '.join(sorted(have))}")
    roles: dict[str, Any] = {"episode": "episode_index", "state": state, "action": "action", "reward": reward}
    if "frame_index" in have:
        roles["t"] = "frame_index"
    if "next.done" in have:
        roles["terminated"] = "next.done"
    if behavior_logp is not None:
        roles["behavior_logp"] = behavior_logp
    return Dataset(table, behavior_prob=behavior_prob, target=target, sort=True, **roles)


# ---- SCOPE-RL and OBP ----------------------------------------------------------------------------------------------


def _with_keys(what: str, data: Any, *keys: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise WrongType(f"{what}: a mapping of names to arrays is needed, not {type(data).__name__}")
    for key in keys:
        if key not in data:
            raise InvalidArgument(f"{what}: '{key}' is missing. There are: {', '.join(map(str, data)) or 'none'}")
    return data


def from_scope_rl(logged_dataset: Mapping[str, Any], *, target: Target = None, cut_at_done: bool = True) -> Dataset:
    """A `logged_dataset` of SCOPE-RL. target: `evaluation_policy_action_dist` of its input_dict, a policy, ...

    cut_at_done: its rollouts go on after an episode is done, up to the fixed length; those steps are left out.
    """
    d = _with_keys("from_scope_rl", logged_dataset, "n_trajectories", "step_per_trajectory", "state", "action", "reward", "done", "pscore")
    n, length = int(d["n_trajectories"]), int(d["step_per_trajectory"])
    _of_length("from_scope_rl", n * length, **{name: d[name] for name in ("state", "action", "reward", "done", "pscore")}, target=target)
    done = np.asarray(d["done"]).reshape(n, length).astype(bool)
    lengths = np.full(n, length)
    if cut_at_done:
        lengths = np.where(done.any(axis=1), done.argmax(axis=1) + 1, length)
    keep = (np.arange(length)[None, :] < lengths[:, None]).reshape(-1)
    # `done` is also set where the fixed length is reached, which `terminal` says.
    terminal = np.asarray(d["terminal"]).reshape(n, length).astype(bool) if "terminal" in d else np.zeros((n, length), dtype=bool)
    at = np.arange(n), lengths - 1
    cut = ~done[at] | (terminal[at] & (lengths == length))
    pscore = np.asarray(d["pscore"], dtype=np.float64)
    if pscore.ndim == 2:
        pscore = pscore.prod(axis=1)
    if target is not None and not callable(target) and not hasattr(target, "predict_proba"):
        target = as_array("target", target)[keep]
    return Dataset(state=np.asarray(d["state"])[keep], action=np.asarray(d["action"])[keep], reward=np.asarray(d["reward"])[keep],
                   behavior_prob=pscore[keep], offsets=np.concatenate([[0], np.cumsum(lengths)]), truncated=cut,
                   actions=d.get("n_actions") if d.get("action_type") == "discrete" else None, target=target)


def from_obp(bandit_feedback: Mapping[str, Any], *, action_dist: Any = None) -> Dataset:
    """`bandit_feedback` of the Open Bandit Pipeline: episodes of one step. action_dist: of the policy in question."""
    d = _with_keys("from_obp", bandit_feedback, "n_rounds", "context", "action", "reward", "pscore")
    n = int(d["n_rounds"])
    _of_length("from_obp", n, **{name: d.get(name) for name in ("context", "action", "reward", "pscore", "position", "pi_b")}, action_dist=action_dist)
    position = d.get("position")
    place = np.zeros(n, dtype=np.int64) if position is None else np.asarray(position, dtype=np.int64)

    def at_position(values: Any) -> NDArray[np.float64]:
        array = np.asarray(values, dtype=np.float64)
        return array[np.arange(n), :, place] if array.ndim == 3 else array

    return Dataset(state=np.asarray(d["context"]), action=np.asarray(d["action"]), reward=np.asarray(d["reward"]),
                   behavior_prob=np.asarray(d["pscore"]), behavior_probs=None if d.get("pi_b") is None else at_position(d["pi_b"]),
                   offsets=np.arange(n + 1), actions=d.get("n_actions"), target=None if action_dist is None else at_position(action_dist))


__all__ = ["from_d4rl", "from_lerobot", "from_minari", "from_obp", "from_rllib", "from_scope_rl"]
