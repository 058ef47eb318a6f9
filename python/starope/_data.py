"""Logs: from tables, arrays and files to one checked data set."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import Columns, as_array, whole
from ._columns import Behavior, ColumnArguments, Logs, Target, checked, takes_columns
from ._errors import InvalidArgument

if TYPE_CHECKING:
    from typing_extensions import Unpack


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
    _rows: NDArray[np.int64] | None = None  # of the table that was just read, where the steps are not its rows

    @takes_columns
    def __init__(self, data: Logs = None, **columns: Unpack[ColumnArguments]) -> None:
        from ._load import load

        made = load(data, checked(columns))
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

        if isinstance(target, os.PathLike):
            return Dataset._of(self._logs.with_policy_of(os.fspath(target)), self._file)
        return Dataset._of(self._logs.with_columns(policy_columns(self, target, "target")), self._file)

    def with_behavior(self, behavior: Behavior) -> Dataset:
        """The same episodes with other probabilities of the policy that acted."""
        from ._policies import policy_columns

        return Dataset._of(self._logs.with_columns(policy_columns(self, behavior, "behavior")), self._file)

    def take(self, episodes: ArrayLike) -> Dataset:
        """The episodes with these numbers, in this order; one may come several times. Or those where one truth value for each is true."""
        given = as_array("episodes", episodes).reshape(-1)
        if given.dtype.kind == "b":
            if len(given) != self.episodes:
                raise InvalidArgument(f"episodes: {len(given)} truth values; one for each of the {self.episodes} episodes is needed")
            given = np.flatnonzero(given)
        which = whole("episodes", given, "the numbers of episodes are whole")
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
        return _restore, (columns, self._file, self._logs.said())


def _restore(columns: Columns, file: str, said: Any) -> Dataset:
    return Dataset._of(_core.logs_from_columns(columns, file, False).with_said(said), file)


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
        return np.asarray(np.exp(columns[f"{who}_logp"]))
    found: NDArray[np.float64] | None = columns.get(f"{who}_prob")
    return found
