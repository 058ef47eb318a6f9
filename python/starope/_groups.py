"""For whom: which group each episode belongs to, from the value of a column in its first row."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays as arrays
from . import _core
from ._blocks import Blocks
from ._data import Dataset
from ._errors import InvalidArgument, WrongType
from ._load import read_options

_LATER = ("action", "reward", "behavior_prob", "behavior_logp", "target_prob", "target_logp", "terminated", "truncated")


def grouping(by: str | ArrayLike, logs: Any, data: Dataset | Blocks, roles: dict[str, Any]) -> dict[str, Any]:
    """What the core makes groups of."""
    if isinstance(by, str) and isinstance(logs, (str, os.PathLike)):
        return {"by": by, "first_values": _of_file(os.fspath(logs), _core.group_column(by), data, roles)}
    if isinstance(data, Blocks):
        raise InvalidArgument("by: where the logs come in blocks, groups are those of a column of their file. Name it, or allow more with memory=")
    if not isinstance(by, str):
        return {"by": "group", "first_values": _texts(_firsts("by", _plain(by), data))}
    column = _core.group_column(by)
    if column in _later(roles):
        raise InvalidArgument(f"by={column!r}: this is known only after the action, so that the logged policy decides who is in which group. "
                              "Use a column that is known before the first action")
    if isinstance(logs, Dataset):
        return {"by": by, "first_values": _texts(_of_states(logs, column))}
    return {"by": by, "first_values": _texts(_firsts(f"by={column!r}", _of_table(logs, column), data))}


def _later(roles: dict[str, Any]) -> set[str]:
    """The columns that are known only after the action; a role may also be given as an array, which has no name."""
    names: set[str] = set()
    for role in _LATER:
        given = roles.get(role)
        named = role if given is None else given
        names |= {named} if isinstance(named, str) else {each for each in named if isinstance(each, str)} if isinstance(named, (list, tuple)) else set()
    return names


def _plain(values: Any) -> NDArray[Any]:
    """Texts, numbers or anything that has a text, as they are."""
    array = np.asarray(values).reshape(-1)
    return arrays.as_array("by", values).reshape(-1) if array.dtype.kind in "biuf" else array


def _firsts(name: str, values: NDArray[Any], data: Dataset) -> NDArray[Any]:
    if data._rows is not None and len(values) > int(data._rows.max()):
        return values[data._rows[data.offsets[:-1]]]
    if len(values) == data.steps and data.steps != data.episodes:
        return values[data.offsets[:-1]]
    if len(values) != data.episodes:
        raise InvalidArgument(f"{name}: {len(values)} values; one for each of the {data.steps} steps or {data.episodes} episodes is needed")
    return values


def _texts(values: NDArray[Any]) -> list[str]:
    """Numbers with the fewest digits that tell them apart; what is missing is an empty text, as in files."""
    return ["" if each is None or each != each else str(each) for each in values.tolist()]


def _of_file(path: str, column: str, data: Dataset | Blocks, roles: dict[str, Any]) -> list[str]:
    if path == "-" or stat.S_ISFIFO(os.stat(path).st_mode if os.path.exists(path) else 0):
        raise InvalidArgument(f"by={column!r}: reads the file once more, and a pipe can be read only once. Give a file, or an array")
    options, _ = read_options(None, roles)
    return _core.values_by_episode(path, column, options, data._logs)


def _of_states(data: Dataset, column: str) -> NDArray[Any]:
    states = data.states
    names = data.state_names if states is not None and states.ndim == 2 else ["state"]
    if states is None or column not in names:
        raise InvalidArgument(f"by={column!r}: a Dataset keeps its states ({', '.join(names) if states is not None else 'this one has none'}) and no "
                              "further columns. Give one value for each episode as an array, or the table itself")
    firsts = states[data.offsets[:-1]]
    return firsts if firsts.ndim == 1 else firsts[:, names.index(column)]


def _of_table(logs: Any, name: str) -> NDArray[Any]:
    if isinstance(logs, (list, tuple)) and logs and isinstance(logs[0], Mapping):
        if name not in logs[0]:
            raise InvalidArgument(f"by={name!r}: there is no such column. There are: {', '.join(map(str, logs[0]))}")
        return np.array([np.atleast_1d(np.asarray(each[name]))[0] for each in logs])
    if logs is None or not hasattr(logs, "__getitem__"):
        raise WrongType(f"by={name!r}: a column can be named where the logs are a table or a file. Give one value for each episode as an array")
    try:
        column = logs[name] if not hasattr(logs, "column_names") else logs.column(name)
    except (KeyError, IndexError, ValueError, AttributeError, TypeError) as error:
        listed = getattr(logs, "column_names", getattr(logs, "columns", logs if isinstance(logs, Mapping) else ()))
        raise InvalidArgument(f"by={name!r}: there is no such column. There are: {', '.join(map(str, listed))}") from error
    except Exception as error:  # polars and DuckDB have errors of their own
        raise InvalidArgument(f"by={name!r}: {error}") from error
    return np.asarray(column.fetchnumpy()[name] if hasattr(column, "fetchnumpy") else column)
