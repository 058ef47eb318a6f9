"""Logs: from tables, arrays and files to one checked data set."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays as arrays
from . import _core
from ._arrays import Columns
from ._errors import InvalidArgument, WrongType

Policy = Callable[[NDArray[Any]], ArrayLike]
Target = str | ArrayLike | Policy | Any
Role = str | ArrayLike | None

_FILE_OPTIONS = ("sort", "state_kind", "action_kind", "table", "sql", "threads")
_NAMES = ("episode", "t", "state", "action", "reward", "behavior_prob", "behavior_logp", "behavior_probs",
          "target_prob", "target_logp", "target_probs", "terminated", "truncated")


class Dataset:
    """Logged episodes, checked once, to be evaluated as often as you like.

    `data` is a table (pandas, polars, pyarrow, DuckDB, anything with `__arrow_c_stream__`), the path of a file, a mapping
    of names to arrays, a list of episodes (mappings), or nothing if all columns are given as arrays. The other arguments
    name the columns of the table, or are the columns themselves: one row per step.

    Arrays that are contiguous and of the type that the core computes with are not copied (float64; states also float32);
    do not change them while the data set lives. Everything else is converted, once.
    """

    _logs: _core.Logs
    _file: str

    def __init__(
        self,
        data: Any = None,
        *,
        episode: Role = None,
        t: Role = None,
        state: Role | Sequence[str] | Sequence[ArrayLike] = None,
        action: Role | Sequence[str] = None,
        reward: Role = None,
        behavior_prob: Role | Policy = None,
        behavior_logp: Role = None,
        behavior_probs: Role = None,
        target: Target = None,
        target_logp: Role = None,
        terminated: Role = None,
        truncated: Role = None,
        offsets: ArrayLike | None = None,
        final_state: ArrayLike | None = None,
        actions: int | None = None,
        state_names: Sequence[str] | None = None,
        sort: bool = False,
        state_kind: str | None = None,
        action_kind: str | None = None,
        table: str | None = None,
        sql: str | None = None,
    ) -> None:
        roles: dict[str, Any] = {
            "episode": episode, "t": t, "state": state, "action": action, "reward": reward,
            "behavior_prob": behavior_prob, "behavior_logp": behavior_logp, "behavior_probs": behavior_probs,
            "target": target, "target_logp": target_logp, "terminated": terminated, "truncated": truncated,
            "offsets": offsets, "final_state": final_state, "actions": actions, "state_names": state_names,
            "sort": sort, "state_kind": state_kind, "action_kind": action_kind, "table": table, "sql": sql}
        for name, value in (("state_kind", state_kind), ("action_kind", action_kind)):
            if value not in (None, "discrete", "continuous"):
                raise InvalidArgument(f"{name}={value!r}: must be 'discrete' or 'continuous'")
        made = _load(data, roles)
        self._logs, self._file = made._logs, made._file

    @classmethod
    def _of(cls, logs: _core.Logs, file: str) -> Dataset:
        made = cls.__new__(cls)
        made._logs, made._file = logs, file
        return made

    # ---- What is in it ---------------------------------------------------------------------------------------------

    @property
    def episodes(self) -> int:
        """How many episodes there are."""
        return self._logs.episodes

    @property
    def steps(self) -> int:
        return self._logs.steps

    def __len__(self) -> int:
        return self.episodes

    def __repr__(self) -> str:
        return f"<starope.Dataset: {self.episodes:,} episodes, {self.steps:,} steps of {self._file or 'arrays'}>"

    def _columns(self) -> Columns:
        return self._logs.columns()

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Episode i has the steps offsets[i] .. offsets[i + 1]."""
        return _array(self._columns()["offsets"])

    @property
    def episode_ids(self) -> NDArray[Any]:
        columns = self._columns()
        if "episode_names" in columns:
            return np.asarray(columns["episode_names"])
        return _array(columns.get("episode_ids", np.arange(self.episodes)))

    @property
    def states(self) -> NDArray[Any] | None:
        """Features (steps, dimension), or ids (steps,); None where the logs have no states."""
        rows = self._state_rows()
        return None if rows is None else rows[:self.steps]

    def _state_rows(self) -> NDArray[Any] | None:
        """Of the steps, and behind them those of final states."""
        columns = self._columns()
        if "features" in columns:
            return _array(columns["features"])
        if "state_codes" in columns:
            return _array(columns["state_names"])[columns["state_codes"]]
        if "bits" in columns:
            bytes_of_rows = np.ascontiguousarray(columns["bits"]).view(np.uint8)
            bits = np.unpackbits(bytes_of_rows, axis=1, bitorder="little", count=columns["dimension"])
            return bits.astype(bool)
        return None

    @property
    def state_names(self) -> list[str]:
        columns = self._columns()
        names: list[str] = columns.get("names", [])
        return names or [f"state_{i}" for i in range(columns.get("dimension", 0))]

    @property
    def actions(self) -> NDArray[Any] | None:
        columns = self._columns()
        found = columns.get("action_ids", columns.get("action_values"))
        return None if found is None else _array(found)

    @property
    def action_count(self) -> int | None:
        """Of discrete actions."""
        columns = self._columns()
        return int(columns["actions"]) if "action_ids" in columns else None

    @property
    def rewards(self) -> NDArray[np.float64]:
        return _array(self._columns()["rewards"])

    @property
    def behavior_prob(self) -> NDArray[np.float64] | None:
        return _probabilities(self._columns(), "behavior")

    @property
    def target_prob(self) -> NDArray[np.float64] | None:
        return _probabilities(self._columns(), "target")

    @property
    def behavior_probs(self) -> NDArray[np.float64] | None:
        """All action probabilities of the behavior policy, (steps, actions), where the logs have them."""
        return self._columns().get("behavior_probs")

    @property
    def target_probs(self) -> NDArray[np.float64] | None:
        return self._columns().get("target_probs")

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Which episodes were cut, as opposed to ended by themselves."""
        return _array(self._columns()["truncated"]).astype(bool)

    # ---- Others like it --------------------------------------------------------------------------------------------

    def with_target(self, target: Target) -> Dataset:
        """The same episodes with another policy in question: probabilities of the logged actions (steps,), of all actions
        (steps, actions), or a policy: see docs/python/policies.md."""
        from ._policies import policy_columns

        return Dataset._of(self._logs.with_columns(policy_columns(self, target, "target")), self._file)

    def with_behavior(self, behavior: Target) -> Dataset:
        """The same episodes with other probabilities of the policy that acted."""
        from ._policies import policy_columns

        return Dataset._of(self._logs.with_columns(policy_columns(self, behavior, "behavior")), self._file)

    def take(self, episodes: ArrayLike) -> Dataset:
        """The episodes with these numbers, in this order; one may come several times."""
        which = np.ascontiguousarray(episodes, dtype=np.int64).reshape(-1)
        if len(which) and (which.min() < 0 or which.max() >= self.episodes):
            raise InvalidArgument(f"episodes: must be within 0..{self.episodes - 1}")
        return Dataset._of(self._logs.take(which), self._file)

    def write(self, path: str | os.PathLike[str], *, final_states: bool = True) -> None:
        """Writes the canonical table: .csv, .npz, and where DuckDB's library is also .parquet, .jsonl, .csv.gz."""
        self._logs.write(os.fspath(path), final_states)

    def to_frame(self) -> Any:
        """The canonical table as a DataFrame of pandas, or of polars if that is what there is."""
        from ._frames import frame

        return frame(self._table())

    def _table(self) -> dict[str, Any]:
        offsets = self.offsets
        lengths = np.diff(offsets)
        table: dict[str, Any] = {"episode": np.repeat(self.episode_ids, lengths),
                                 "t": np.arange(self.steps) - np.repeat(offsets[:-1], lengths)}
        _put(table, "state", self.states)
        _put(table, "action", self.actions)
        table["reward"] = self.rewards
        for name in ("behavior_prob", "target_prob", "behavior_probs", "target_probs"):
            _put(table, name, getattr(self, name))
        last = np.zeros(self.steps, dtype=bool)
        last[offsets[1:] - 1] = True
        cut = np.repeat(self.truncated, lengths)
        return table | {"terminated": last & ~cut, "truncated": last & cut}

    def __reduce__(self) -> tuple[Any, ...]:
        # Views of the core become arrays of their own.
        columns = {name: np.array(value) if isinstance(value, np.ndarray) else value
                   for name, value in self._columns().items()}
        used = [role for role, _ in self._logs.summary()["used"]]
        return _restore, (columns, self._file, "terminated" in used or "truncated" in used)


def _restore(columns: Columns, file: str, ends_logged: bool) -> Dataset:
    return Dataset._of(_core.logs_from_columns(columns, file, ends_logged), file)


def _array(values: Any) -> NDArray[Any]:
    return np.asarray(values)


def _put(table: dict[str, Any], name: str, values: NDArray[Any] | None) -> None:
    if values is None:
        return
    if values.ndim == 1:
        table[name] = values
        return
    for i in range(values.shape[1]):
        table[f"{name}_{i}"] = values[:, i]


def _probabilities(columns: Columns, who: str) -> NDArray[np.float64] | None:
    if f"{who}_logp" in columns:
        return np.exp(columns[f"{who}_logp"])
    return columns.get(f"{who}_prob")


# ---- Loading -------------------------------------------------------------------------------------------------------


def dataset(data: Any, roles: dict[str, Any]) -> Dataset:
    """What `evaluate` and its like are given, as a data set; one that is a data set already gets its target at most."""
    if not isinstance(data, Dataset):
        return _load(data, roles)
    target = roles.get("target")
    extra = [name for name, value in roles.items() if value is not None and value is not False and name not in ("target", "threads")]
    if extra:
        raise InvalidArgument(f"{extra[0]}: the columns of a Dataset are known already. Give it when the Dataset is made")
    return data if target is None else data.with_target(target)


def _load(data: Any, roles: dict[str, Any]) -> Dataset:
    if isinstance(data, Dataset):
        return dataset(data, roles)
    if data is None and roles.get("sql"):
        return _from_table(None, roles, "query")
    if data is None:
        return _from_arrays({}, roles)
    if isinstance(data, (str, os.PathLike)):
        return _from_table(None, roles, os.fspath(data))
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _from_arrays({name: data[name] for name in data.dtype.names}, roles)
    if isinstance(data, Mapping):
        return _from_arrays(data, roles)
    if isinstance(data, (list, tuple)) and data and all(isinstance(each, Mapping) for each in data):
        return _from_episodes(data, roles)
    if hasattr(data, "__arrow_c_stream__"):
        return _from_table(data, roles, _kind(data))
    if hasattr(data, "collect") and hasattr(data, "lazy"):
        raise WrongType("a LazyFrame has no rows yet: pass frame.collect()")
    if hasattr(data, "mapInArrow"):
        raise WrongType("a DataFrame of Spark: pass frame.toPandas() if it fits into memory")
    if hasattr(data, "columns") and hasattr(data, "to_numpy"):  # a pandas without Arrow
        return _from_arrays({name: data[name].to_numpy() for name in data.columns}, roles)
    raise WrongType(f"logs of the type {type(data).__name__}. Give a table (pandas, polars, pyarrow, DuckDB), the path of a "
                    "file, a mapping of names to arrays, a list of episodes, or a Dataset")


def _kind(data: Any) -> str:
    return f"{type(data).__module__.partition('.')[0]} {type(data).__name__}"


def _from_table(data: Any, roles: dict[str, Any], name: str) -> Dataset:
    """A file, or a table that hands out an Arrow stream."""
    options: dict[str, Any] = {key: roles[key] for key in _FILE_OPTIONS if roles.get(key)}
    later: dict[str, Any] = {}
    for role in _NAMES:
        value = roles.get(role)
        if value is None:
            continue
        if isinstance(value, str):
            options[role] = [value] if role in ("state", "action") else value
        elif isinstance(value, (list, tuple)) and value and all(isinstance(each, str) for each in value):
            options[role] = list(value)
        elif role.startswith("behavior"):
            later["behavior"] = value
        else:
            raise WrongType(f"{role}: the name of a column is needed where the logs are a table, not {type(value).__name__}")
    target = roles.get("target")
    if isinstance(target, str):
        options.update(_target_names(data, target))
    elif target is not None:
        later["target"] = target
        options.update({"target_prob": "", "target_logp": "", "target_probs": ""})
    if "behavior" in later:
        options.update({"behavior_prob": "", "behavior_logp": "", "behavior_probs": ""})
    for only in ("offsets", "final_state", "actions", "state_names"):
        if roles.get(only) is not None:
            raise InvalidArgument(f"{only}: is for arrays; a table has a column for that")
    if data is None:
        logs = _core.read_file("" if roles.get("sql") and name == "query" else name, options)
    else:
        try:
            capsule = data.__arrow_c_stream__()
        except ImportError:  # a pandas without pyarrow
            return _from_arrays({each: data[each].to_numpy() for each in data.columns}, roles)
        logs = _core.read_stream(capsule, name, options)
    made = _completed(Dataset._of(logs, name))
    if "behavior" in later:
        made = made.with_behavior(later["behavior"])
    return made.with_target(later["target"]) if "target" in later else made


def _completed(data: Dataset) -> Dataset:
    """Distributions know the probability of the logged action."""
    columns = data._columns()
    for who in ("behavior", "target"):
        if f"{who}_probs" in columns and f"{who}_prob" not in columns and f"{who}_logp" not in columns:
            data = data.with_target(columns["target_probs"]) if who == "target" else data.with_behavior(columns["behavior_probs"])
    return data


def _target_names(data: Any, target: str) -> dict[str, str]:
    """A column, or the common part of the names of one column per action."""
    schema = getattr(data, "schema", None)
    listed = getattr(schema, "names", None)
    found = listed if isinstance(listed, list) else getattr(data, "columns", None)
    names = [str(each) for each in found] if found is not None else []
    if target not in names and f"{target}_0" in names:
        return {"target_probs": target}
    return {"target_prob": target}


def _from_episodes(data: Sequence[Mapping[str, Any]], roles: dict[str, Any]) -> Dataset:
    names = list(data[0])
    for i, each in enumerate(data):
        if list(each) != names:
            raise InvalidArgument(f"episode {i} has the columns {list(each)}, the first one {names}. All must have the same")
    if not names:
        raise InvalidArgument("episodes without columns: give mappings such as {'state': ..., 'action': ..., 'reward': ...}")
    reward = roles.get("reward") if isinstance(roles.get("reward"), str) else "reward"
    counted = reward if reward in names else names[0]
    lengths = [len(np.atleast_1d(arrays.as_array(counted, each[counted]))) for each in data]
    merged = {name: np.concatenate([np.atleast_1d(arrays.as_array(name, each[name])) for each in data]) for name in names}
    return _from_arrays(merged, {**roles, "offsets": np.concatenate([[0], np.cumsum(lengths)])})


class _Roles:
    """The arrays that play the roles: given themselves, or by name, or under their canonical names."""

    def __init__(self, table: Mapping[str, Any], roles: Mapping[str, Any]) -> None:
        self.table, self.roles = table, roles

    def _named(self, role: str, name: str) -> Any:
        if name not in self.table and f"{name}_0" in self.table:
            return self._numbered(name)
        if name not in self.table:
            raise InvalidArgument(f"{role}={name!r}: there is no such column. There are: {', '.join(map(str, self.table))}")
        return self.table[name]

    def get(self, role: str) -> Any:
        given = self.roles.get(role)
        if isinstance(given, str):
            return self._named(role, given)
        if isinstance(given, (list, tuple)) and given and all(isinstance(each, str) for each in given):
            return [self._named(role, each) for each in given]
        if given is not None:
            return given
        if role in self.table:
            return self.table[role]
        return self._numbered(role) or None

    def _numbered(self, name: str) -> list[Any]:
        """NAME_0, NAME_1, ... as far as they go."""
        found: list[Any] = []
        while f"{name}_{len(found)}" in self.table:
            found.append(self.table[f"{name}_{len(found)}"])
        return found

    def names(self, role: str) -> list[str] | None:
        given = self.roles.get(role)
        return list(given) if isinstance(given, (list, tuple)) and given and isinstance(given[0], str) else None


def _from_arrays(table: Mapping[str, Any], given: dict[str, Any]) -> Dataset:
    roles = _Roles(table, given)
    reward = roles.get("reward")
    if reward is None:
        raise InvalidArgument("reward: is missing. Give the rewards, one for each step")
    steps = len(arrays.as_array("reward", reward))
    offsets, columns, order = _episodes(roles, given, steps)

    def rows(values: Any) -> Any:
        if order is None or values is None:
            return values
        return [np.asarray(each)[order] for each in values] if arrays.is_stack(values) else np.asarray(values)[order]

    columns["offsets"] = offsets
    columns["rewards"] = arrays.column("reward", rows(reward), steps)
    _check_times(rows(roles.get("t")), offsets)
    action = rows(roles.get("action"))
    if arrays.is_stack(action):
        action = np.stack([arrays.as_array("action", each) for each in action], axis=1)
    if action is not None:
        columns |= arrays.action_columns(action, given.get("actions"), given.get("action_kind"))
    later = _put_policies(columns, roles, rows, steps)
    columns["truncated"] = arrays.cuts_of(rows(roles.get("terminated")), rows(roles.get("truncated")), offsets)
    state = rows(roles.get("state"))
    if state is not None:
        _put_states(columns, state, given, roles.names("state"), steps)
    ends_logged = roles.get("terminated") is not None or roles.get("truncated") is not None
    made = Dataset._of(_core.logs_from_columns(columns, "", ends_logged), "")
    for who, policy in later.items():
        made = made.with_target(policy) if who == "target" else made.with_behavior(policy)
    return made


def _episodes(roles: _Roles, given: dict[str, Any], steps: int) -> tuple[NDArray[np.int64], Columns, NDArray[np.int64] | None]:
    episode = roles.get("episode")
    if given.get("offsets") is not None:
        offsets = arrays.offsets_of(given["offsets"], steps)
        if episode is None:
            return offsets, {}, None
        firsts = arrays.as_array("episode", episode)
        _, names, _ = arrays.episodes_of(firsts if len(firsts) == len(offsets) - 1 else firsts[offsets[:-1]], False)
        return offsets, names, None
    if episode is None:
        raise InvalidArgument("episode: is missing. Say which episode each step belongs to: episode=ids, or offsets=...")
    if len(arrays.as_array("episode", episode)) != steps:
        raise InvalidArgument(f"episode: {len(episode)} ids for {steps} steps; one for each step is needed")
    return arrays.episodes_of(episode, bool(given.get("sort")))


def _check_times(times: Any, offsets: NDArray[np.int64]) -> None:
    if times is None:
        return
    t = arrays.column("t", times, int(offsets[-1]))
    rising = np.diff(t) > 0
    rising[offsets[1:-1] - 1] = True
    if not rising.all():
        row = int(np.flatnonzero(~rising)[0]) + 1
        raise InvalidArgument(f"t: {t[row]:g} in row {row} does not come after {t[row - 1]:g}: t must increase within an episode. "
                              "Put the rows of each episode in order of time")


def _put_policies(columns: Columns, roles: _Roles, rows: Callable[[Any], Any], steps: int) -> dict[str, Any]:
    """Probabilities that are arrays; a policy that must be asked is returned."""
    later: dict[str, Any] = {}
    for who in ("behavior", "target"):
        plain = roles.get(f"{who}_prob") if who == "behavior" else roles.get("target")
        if who == "target" and plain is None:
            plain = roles.get("target_prob")
        if who == "target" and isinstance(plain, list) and arrays.is_stack(plain):
            plain = np.stack(plain, axis=1)
        if callable(plain) or hasattr(plain, "predict_proba"):
            later[who] = plain
            continue
        every = rows(roles.get(f"{who}_probs"))
        if arrays.is_stack(every):
            every = np.stack(every, axis=1)
        plain = rows(plain)
        if plain is not None and np.ndim(plain) == 2 and np.shape(plain)[1] != 1:
            plain, every = None, plain
        if every is not None:
            columns[f"{who}_probs"] = arrays.distribution(f"{who}_probs", every, steps)
            _widen(columns, who)
        if plain is not None:
            columns[f"{who}_prob"] = arrays.column(f"{who}_prob", plain, steps)
        elif (logp := rows(roles.get(f"{who}_logp"))) is not None:
            columns[f"{who}_logp"] = arrays.column(f"{who}_logp", logp, steps)
        elif every is not None and "action_ids" in columns:
            columns[f"{who}_prob"] = columns[f"{who}_probs"][np.arange(steps), columns["action_ids"]]
    return later


def _widen(columns: Columns, who: str) -> None:
    """Distributions know how many actions there are."""
    width = columns[f"{who}_probs"].shape[1]
    if "action_ids" not in columns:
        raise InvalidArgument(f"{who}_probs: probabilities of all actions need discrete actions. Give action=")
    if columns["actions"] > width:
        raise InvalidArgument(f"{who}_probs: {width} probabilities in each row, but there are {columns['actions']} actions")
    columns["actions"] = width


def _put_states(columns: Columns, state: Any, given: dict[str, Any], names: list[str] | None, steps: int) -> None:
    final = given.get("final_state")
    if final is not None:
        cut = columns["truncated"].astype(bool)
        final = arrays.as_array("final_state", final)
        if len(final) == len(cut):
            final = final[cut]
        if len(final) != cut.sum():
            raise InvalidArgument(f"final_state: {len(final)} rows; one for each of the {len(cut)} episodes, or of the {cut.sum()} "
                                  "truncated ones, is needed")
        if arrays.is_stack(state):
            state = np.stack([arrays.as_array("state", each) for each in state], axis=1)
        state = np.concatenate([arrays.as_array("state", state), final.astype(np.asarray(state).dtype, copy=False)])
        columns["has_final_state"] = cut.astype(np.uint8)
    made = arrays.state_columns(state, given.get("state_names") or names, given.get("state_kind"))
    rows = len(made["state_ids"]) if "state_ids" in made else len(made.get("features", made.get("bits")))
    expected = steps + (int(columns["has_final_state"].sum()) if final is not None else 0)
    if rows != expected:
        raise InvalidArgument(f"state: {rows} rows; one for each of the {steps} steps is needed")
    columns |= made
