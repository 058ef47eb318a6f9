"""Tables, arrays and files become a data set. The core checks the values; what only arrays can have wrong is checked here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays as arrays
from . import _core
from ._arrays import Columns
from ._blocks import Blocks
from ._data import Dataset
from ._errors import DataError, InvalidArgument, WrongType
from ._policies import asks

_ASKED = ("memory", "estimators")  # of a question: how much memory its logs may take, and what will be asked of them
_FILE_OPTIONS = ("sort", "state_kind", "action_kind", "table", "sql", "duckdb_library", "threads")
_NAMES = ("episode", "t", "state", "action", "reward", "behavior_prob", "behavior_logp", "behavior_probs",
          "target_prob", "target_logp", "target_probs", "terminated", "truncated")


def dataset(data: Any, roles: dict[str, Any]) -> Dataset | Blocks:
    """What `evaluate` and its like are given, as a data set; one that is a data set already gets its target at most. Of a file that
    memory does not hold, the blocks."""
    if not isinstance(data, Dataset):
        return _loaded(data, roles)
    target = roles.get("target")
    extra = [name for name, value in roles.items()
             if value is not None and value is not False and name not in ("target", "threads", "behavior", "target_alone", *_ASKED)]
    if extra:
        raise InvalidArgument(f"{extra[0]}: the columns of a Dataset are known already. Give it when the Dataset is made")
    return data if target is None else data.with_target(target)


def load(data: Any, roles: dict[str, Any]) -> Dataset:
    """All of it, in memory."""
    made = dataset(data, roles)
    assert isinstance(made, Dataset)
    return made


def _loaded(data: Any, roles: dict[str, Any]) -> Dataset | Blocks:
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
    if hasattr(data, "mapInArrow"):
        raise WrongType("a DataFrame of Spark: starope.spark.evaluate takes it; or pass frame.toPandas() if it fits into memory")
    if hasattr(data, "__arrow_c_stream__"):
        return _from_table(data, roles, _kind(data))
    if hasattr(data, "arrow") and hasattr(data, "fetchnumpy"):  # DuckDB before it handed out streams
        return _from_table(data.arrow(), roles, _kind(data))
    if hasattr(data, "collect") and hasattr(data, "lazy"):
        raise WrongType("a LazyFrame has no rows yet: pass frame.collect()")
    if hasattr(data, "columns") and hasattr(data, "to_numpy"):  # a pandas that hands out no stream: pyarrow does, where it is
        try:
            import pyarrow as pa

            return _from_table(pa.Table.from_pandas(data, preserve_index=False), roles, _kind(data))
        except (ImportError, AttributeError):
            pass
        return _from_arrays({name: data[name].to_numpy() for name in data.columns}, roles)
    raise WrongType(f"logs of the type {type(data).__name__}. Give a table (pandas, polars, pyarrow, DuckDB), the path of a "
                    "file, a mapping of names to arrays, a list of episodes, or a Dataset")


def _kind(data: Any) -> str:
    return f"{type(data).__module__.partition('.')[0]} {type(data).__name__}"


def _from_table(data: Any, roles: dict[str, Any], name: str) -> Dataset | Blocks:
    """A file, or a table that hands out an Arrow stream."""
    options, later = read_options(data, roles)
    for only in ("offsets", "final_state", "actions", "state_names"):
        if roles.get(only) is not None:
            raise InvalidArgument(f"{only}: is for arrays; a table has a column for that")
    if data is None:
        logs = _read_file("" if roles.get("sql") and name == "query" else name, options, roles)
    else:
        try:
            capsule = data.__arrow_c_stream__()
        except ImportError:  # a pandas without pyarrow
            return _from_arrays({each: data[each].to_numpy() for each in data.columns}, roles)
        except Exception as error:  # of pyarrow, where pandas has columns that it cannot say
            raise DataError(f"{name}: cannot be handed over as a table ({error}). Leave out or convert what it names") from error
        memory = roles.get("memory")
        logs = _core.read_stream(capsule, name, options) if memory is None else _core.load_stream(capsule, name, options, memory)
    rows: NDArray[np.int64] | None = np.asarray(logs.take_rows()) if isinstance(logs, _core.Logs) else None
    made = _completed(Blocks(logs, name) if isinstance(logs, _core.Blocks) else Dataset._of(logs, name))
    later = {who: policy if asks(policy) else _beside(who, policy, rows) for who, policy in later.items()}
    made = _with_policies(made, later, roles)
    if isinstance(made, Dataset) and rows is not None and len(rows):
        made._rows = rows
    return made


def _beside(who: str, values: Any, rows: NDArray[np.int64] | None) -> Any:
    """An array that has a value for each row of a table, in the order of the steps."""
    array = arrays.as_array(who, values)
    if rows is None or len(rows) == 0 or array.ndim == 0:
        return array
    if len(array) <= int(rows.max()):
        raise InvalidArgument(f"{who}: {len(array)} values beside a table whose rows are sorted, or have the states after last steps among them. Give one "
                              "for each row of the table, or make them a column of it")
    return array[rows]


def _with_policies(made: Dataset | Blocks, later: dict[str, Any], roles: dict[str, Any]) -> Dataset | Blocks:
    if "behavior" in later:
        gaps = fills_gaps(roles) and not asks(later["behavior"]) and isinstance(made, Dataset)
        made = _with_gaps(made, later["behavior"]) if gaps else made.with_behavior(later["behavior"])  # type: ignore[arg-type]
    return made.with_target(later["target"]) if "target" in later else made


def _read_file(path: str, options: dict[str, Any], roles: dict[str, Any]) -> _core.Logs | _core.Blocks:
    """A target that is no column may be the common part of the names of one column per action, and only the file knows."""

    def read(options: dict[str, Any]) -> _core.Logs | _core.Blocks:
        return _core.load(path, options, roles["memory"], roles.get("estimators")) if "memory" in roles else _core.read_file(path, options)

    target = roles.get("target")
    try:
        return read(options)
    except DataError as error:
        if error.code != "missing_column" or not isinstance(target, str) or error.column != target:
            raise
        try:
            return read({**options, "target_prob": "", "target_probs": target})
        except DataError as other:
            raise (error if other.code == "missing_column" else other) from None


def read_options(data: Any, roles: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the core's reader of tables; and policies that no column has."""
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
        if target_alone(roles):
            options.update({"target_prob": "", "target_logp": "", "target_probs": ""})
        options.update(_target_names(data, target))
    elif target is not None:
        later["target"] = target
        options.update({"target_prob": "", "target_logp": "", "target_probs": ""})
    if "behavior" in later or estimates_behavior(roles):
        options.update({"behavior_prob": "", "behavior_logp": "", "behavior_probs": ""})
    elif fills_gaps(roles):
        options.update({"behavior_gaps": True, "behavior_probs": ""})
    return options, later


def target_alone(roles: Mapping[str, Any]) -> bool:
    """Whether a policy was named: then columns of another one, under the usual names, are not looked at."""
    target = roles.get("target")
    return isinstance(target, str) and (target != "target_prob" or bool(roles.get("target_alone")))


def estimates_behavior(roles: Mapping[str, Any]) -> bool:
    """Whether the behavior policy is estimated: then nothing that the logs say about it is read."""
    return _behavior_is(roles, False, ("behavior_prob", "behavior_logp", "behavior_probs"))


def fills_gaps(roles: Mapping[str, Any]) -> bool:
    """Whether it is estimated where its probabilities are missing: then only those of the logged actions are read."""
    return _behavior_is(roles, True, ("behavior_probs",))


def _behavior_is(roles: Mapping[str, Any], filled: bool, unused: Sequence[str]) -> bool:
    how = roles.get("behavior")
    if how is None or how == "logged" or _core.fills_gaps(how) != filled:
        return False
    for role in unused:
        if roles.get(role) is not None:
            raise InvalidArgument(f"{role}: is not used where behavior={how!r}. Leave one of them out")
    return True


def _with_gaps(data: Dataset, values: Any) -> Dataset:
    return Dataset._of(data._logs.with_columns({"behavior_gaps_prob": arrays.column("behavior_prob", values, data.steps)}), data._file)


def _completed(data: Dataset | Blocks) -> Dataset | Blocks:
    """Distributions know the probability of the logged action."""
    columns = data._columns()
    for who in ("behavior", "target"):
        if f"{who}_probs" in columns and f"{who}_prob" not in columns and f"{who}_logp" not in columns:
            if isinstance(data, Blocks):
                data = data.completed(who)
                continue
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
        if set(each) != set(names):
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
            return [arrays.as_array(role, self._named(role, each)) for each in given]
        if given is not None:
            return given
        if role in self.table:
            return self.table[role]
        return self._numbered(role) or None

    def _numbered(self, name: str) -> list[Any]:
        """NAME_0, NAME_1, ... as far as they go."""
        found: list[Any] = []
        while f"{name}_{len(found)}" in self.table:
            found.append(arrays.as_array(name, self.table[f"{name}_{len(found)}"]))
        return found

    def names(self, role: str) -> list[str] | None:
        given = self.roles.get(role)
        return list(given) if isinstance(given, (list, tuple)) and given and isinstance(given[0], str) else None


def _from_arrays(table: Mapping[str, Any], given: dict[str, Any]) -> Dataset:
    if given.get("offsets") is None and given.get("episode") is None and "offsets" in table and "episode" not in table:
        given = {**given, "offsets": table["offsets"]}
    roles = _Roles(table, given)
    reward = roles.get("reward")
    if reward is None:
        raise InvalidArgument("reward: is missing. Give the rewards, one for each step")
    rewards = arrays.as_array("reward", reward)
    if rewards.ndim == 0 or len(rewards) == 0:
        raise InvalidArgument("reward: has no rows. Give one for each step")
    steps = len(rewards)
    times = roles.get("t")
    times = None if times is None else arrays.times_of(times, steps)
    offsets, columns, order = _episodes(roles, given, steps, times)

    def rows(values: Any) -> Any:
        if order is None or values is None:
            return values
        return [np.asarray(each)[order] for each in values] if arrays.is_stack(values) else np.asarray(values)[order]

    columns["offsets"] = offsets
    columns["rewards"] = arrays.column("reward", rows(reward), steps)
    _check_times(rows(times), offsets)
    action = rows(roles.get("action"))
    if arrays.is_stack(action):
        action = np.stack([arrays.as_array("action", each) for each in action], axis=1)
    if action is not None and (np.ndim(action) == 0 or len(action) != steps):
        raise InvalidArgument(f"action: an array of the shape {np.shape(action)}; one row for each of the {steps} steps is needed")
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
    made._rows = order
    return made


def _episodes(roles: _Roles, given: dict[str, Any], steps: int,
              times: NDArray[Any] | None) -> tuple[NDArray[np.int64], Columns, NDArray[np.int64] | None]:
    episode = roles.get("episode")
    if given.get("offsets") is not None:
        offsets = arrays.offsets_of(given["offsets"], steps)
        if episode is None:
            return offsets, {}, None
        return offsets, _names_of(arrays.as_array("episode", episode), offsets), None
    if episode is None:
        raise InvalidArgument("episode: is missing. Say which episode each step belongs to: episode=ids, or offsets=...")
    if len(arrays.as_array("episode", episode)) != steps:
        raise InvalidArgument(f"episode: {len(episode)} ids for {steps} steps; one for each step is needed")
    return arrays.episodes_of(episode, bool(given.get("sort")), times)


def _names_of(ids: NDArray[Any], offsets: NDArray[np.int64]) -> Columns:
    """Of episodes that offsets divide: one id for each of them, or for each of their steps."""
    lengths = np.diff(offsets)
    if len(ids) == int(offsets[-1]) != len(lengths):
        wrong = np.flatnonzero(ids != np.repeat(ids[offsets[:-1]], lengths))
        if len(wrong):
            raise InvalidArgument(f"episode: {ids[wrong[0]]} in row {wrong[0]}, inside an episode that the offsets say begins with "
                                  f"{ids[offsets[np.searchsorted(offsets, wrong[0], side='right') - 1]]}. Leave one of episode and offsets out")
        ids = ids[offsets[:-1]]
    if len(ids) != len(lengths):
        raise InvalidArgument(f"episode: {len(ids)} ids; one for each of the {len(lengths)} episodes, or of the {offsets[-1]} steps, is needed")
    found, names, _ = arrays.episodes_of(ids, False)
    if len(found) != len(offsets):
        twice = np.flatnonzero(ids[1:] == ids[:-1])[0]
        raise InvalidArgument(f"episode: {ids[twice]} is the id of two episodes. Give each its own")
    return names


def _check_times(t: NDArray[Any] | None, offsets: NDArray[np.int64]) -> None:
    if t is None:
        return
    rising = t[1:] > t[:-1]
    rising[offsets[1:-1] - 1] = True
    if not rising.all():
        row = int(np.flatnonzero(~rising)[0]) + 1
        raise InvalidArgument(f"t: {t[row]} in row {row} does not come after {t[row - 1]}: t must increase within an episode. "
                              "Put the rows of each episode in order of time, or pass sort=True")


def _put_policies(columns: Columns, roles: _Roles, rows: Callable[[Any], Any], steps: int) -> dict[str, Any]:
    """Probabilities that are arrays; a policy that must be asked is returned."""
    later: dict[str, Any] = {}
    filled = fills_gaps(roles.roles)
    for who in ("target",) if estimates_behavior(roles.roles) else ("behavior", "target"):
        plain = roles.get(f"{who}_prob") if who == "behavior" else roles.get("target")
        if who == "target" and plain is None:
            plain = roles.get("target_prob")
        if who == "target" and isinstance(plain, list) and arrays.is_stack(plain):
            plain = np.stack(plain, axis=1)
        if asks(plain):
            later[who] = plain
            continue
        alone = who == "target" and target_alone(roles.roles)
        gaps = who == "behavior" and filled
        every: Any = None if alone or gaps else rows(roles.get(f"{who}_probs"))
        if arrays.is_stack(every):
            every = np.stack(every, axis=1)
        plain = rows(plain)
        if plain is not None and np.ndim(plain) == 2 and np.shape(plain)[1] != 1:
            plain, every = None, plain
        if every is not None:
            columns[f"{who}_probs"] = arrays.distribution(f"{who}_probs", every, steps)
            _widen(columns, who)
        name = f"{who}_gaps" if gaps else who
        if plain is not None:
            columns[f"{name}_prob"] = arrays.column(f"{who}_prob", plain, steps)
        elif not alone and (logp := rows(roles.get(f"{who}_logp"))) is not None:
            columns[f"{name}_logp"] = arrays.column(f"{who}_logp", logp, steps)
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
    rows = len(next(made[name] for name in ("state_ids", "features", "bits") if name in made))
    expected = steps + (int(columns["has_final_state"].sum()) if final is not None else 0)
    if rows != expected:
        raise InvalidArgument(f"state: {rows} rows; one for each of the {steps} steps is needed")
    columns |= made
