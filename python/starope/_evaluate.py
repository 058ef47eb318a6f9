"""The questions: evaluate and inspect."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays as arrays
from . import _core
from ._columns import ColumnArguments, Logs, checked, takes_columns
from ._blocks import Blocks, memory_of
from ._data import Dataset
from ._errors import InvalidArgument, PolicyError, WrongType
from ._estimators import Estimator, split
from ._groups import grouping
from ._load import dataset
from ._policies import BATCH
from ._progress import shown_progress
from ._results import Evaluation, Inspection

if TYPE_CHECKING:
    from typing_extensions import Unpack

Progress = bool | Callable[[int, int, str], Any] | None


@takes_columns
def evaluate(
    logs: Logs = None,
    *,
    gamma: float = 1.0,
    horizon: int | None = None,
    estimators: str | Estimator | Sequence[str | Estimator] | None = None,
    seed: int = 0,
    level: float | None = 0.95,
    interval: str | None = "influence",
    behavior: str = "logged",
    quantiles: float | Sequence[float] = (),
    cvar: float | Sequence[float] = (),
    below: float | Sequence[float] = (),
    by: str | ArrayLike | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    details: bool = False,
    influence: bool = False,
    progress: Progress = None,
    **columns: Unpack[ColumnArguments],
) -> Evaluation:
    """What would the target policy have earned, how sure are we, and can we trust that?

    logs: a table (pandas, polars, pyarrow, DuckDB), the path of a file, a mapping of arrays, a list of episodes, a Dataset;
      `columns` name its columns, or are arrays themselves: see Dataset.
    target: the policy in question: the name of a column with the probability of the logged action, an array (steps,) or
      (steps, actions), or a function (states) -> (n, actions), or an object with predict_proba.
    gamma, horizon: the discount, and how many steps count.
    estimators: texts such as "auto" or "star(clusters=32,clip=2)", or objects such as Star(clusters=32, clip=2).
    level: of the intervals; None for none.
    interval: how they are made, as on the command line: "influence", "t", "bootstrap-bca(replicates=500,refit=yes)",
      "hoeffding(lower=0,upper=100,weight=20)", ...; "none" or None for none.
    behavior: "logged", or "estimate", "estimate(method=logistic,folds=5,crossfit=yes)": from the logged actions.
    quantiles, cvar, below: about what single episodes return: quantiles, means of the worst share, probabilities of less.
    by: for whom: a column ("ward", or a comparison such as "age<65"), or one value per episode; the answer is also given by groups.
    memory: what the logs of a file or a stream may take ("2GB", 500_000_000); larger ones are read in blocks, as the program does. By
      default half of what the machine has; tables that are in memory already are taken as they are.
    progress: True for a bar (tqdm), or a function (done, total, what).
    """
    wanted = split(estimators)
    roles: dict[str, Any] = {**checked(columns), "threads": threads, "behavior": behavior, "memory": memory_of(memory),
                             "estimators": None if wanted is None else [str(each) for each in wanted if not plugged(each)]}
    options = question(gamma, horizon, seed, level, threads) | {"details": bool(details), "influence": bool(influence), "behavior": _text("behavior", behavior)}
    options |= {"quantiles": _numbers("quantiles", quantiles), "cvar": _numbers("cvar", cvar), "below": _numbers("below", below)}
    if interval is None or interval == "none":
        options["level"] = None
    else:
        options["interval"] = _text("interval", interval)
    _core.check_question(options)  # a slip should not cost the time to read the data
    data = dataset(logs, roles)
    if by is not None:
        options |= grouping(by, logs, data, roles)
    texts, plugs = divided(wanted, data)
    with shown_progress(progress) as tell:
        return Evaluation(_core.evaluate(data._logs, texts, plugs, {**options, "file": data._file or "arrays"}, tell))


@takes_columns
def inspect(logs: Logs = None, *, gamma: float = 1.0, threads: int | None = None, memory: str | int | None = None,
            **columns: Unpack[ColumnArguments]) -> Inspection:
    """What is in the logs, and what they can be used for; columns and memory as of `evaluate`."""
    data = dataset(logs, {**checked(columns), "threads": threads, "memory": memory_of(memory), "estimators": []})
    return Inspection(_core.inspect(data._logs, _number("gamma", gamma), data._file or "arrays", _count("threads", threads)))


def question(gamma: float, horizon: int | None, seed: int, level: float | None, threads: int | None) -> dict[str, Any]:
    """What all that estimate are asked."""
    return {"gamma": _number("gamma", gamma), "horizon": _count("horizon", horizon), "level": _level(level), "seed": _seed(seed),
            "threads": _count("threads", threads)}


_RISKS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "quantiles": ("a quantile is a probability between 0 and 1", lambda x: 0.0 < x < 1.0),
    "cvar": ("a share is above 0 and at most 1", lambda x: 0.0 < x <= 1.0),
    "below": ("a return is a finite number", math.isfinite)}


def _numbers(name: str, values: float | Sequence[float]) -> list[float]:
    listed: list[Any] = [values] if np.ndim(values) == 0 else list(values)  # type: ignore[arg-type]
    rule, holds = _RISKS[name]
    for each in listed:
        if not holds(_number(name, each)):
            raise InvalidArgument(f"{name}={each!r}: {rule}")
    return [float(each) for each in listed]


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise WrongType(f"{name}={value!r}: a text is needed")
    return value


def _number(name: str, value: Any) -> float:
    if isinstance(value, (bool, np.bool_, str, bytes, complex)) or np.ndim(value) != 0:
        raise WrongType(f"{name}={value!r}: a number is needed")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise WrongType(f"{name}={value!r}: a number is needed") from None


def _level(value: float | None) -> float | None:
    return None if value is None else _number("level", value)


def _count(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if not _number(name, value).is_integer():
        raise WrongType(f"{name}={value!r}: a whole number is needed")
    if value < 1:
        raise InvalidArgument(f"{name}={value!r}: must be at least 1")
    return int(value)


def _seed(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise WrongType(f"seed={value!r}: a whole number is needed")
    if not 0 <= int(value) < 2**64:
        raise InvalidArgument(f"seed={value!r}: must be from 0 to 2^64 - 1")
    return int(value)


def plugged(estimator: str | Estimator) -> bool:
    """Whether its abstraction or Q-function is written in Python."""
    return isinstance(estimator, Estimator) and estimator._plug is not None


def divided(wanted: list[str | Estimator] | None, data: Dataset | Blocks) -> tuple[list[str] | None, list[dict[str, Any]]]:
    """Texts for the core, and estimators whose abstraction or Q-function is computed here."""
    if wanted is None:
        return None, []
    texts: list[str] = []
    plugs: list[dict[str, Any]] = []
    for each in wanted:
        if isinstance(each, Estimator) and plugged(each):
            if isinstance(data, Blocks):
                raise InvalidArgument(f"{each!r}: what is written in Python needs all logs in memory, and these come in blocks. Allow more with memory=")
            plugs.append({"place": len(texts) + len(plugs), "name": repr(each), "text": each._text(plain=True), **_plugged(each, data)})
        else:
            texts.append(str(each))
    return texts, plugs


def _plugged(estimator: Estimator, data: Dataset) -> dict[str, Any]:
    assert estimator._plug is not None
    kind, plug = estimator._plug
    rows = data._state_rows()
    if rows is None:
        raise InvalidArgument(f"{estimator!r}: needs the states of the logs. Give state=")
    if kind == "labels":
        return {"rows": _labels(plug, rows, repr(estimator))}
    if data.action_count is None:
        raise InvalidArgument(f"{estimator!r}: a Q-function needs discrete actions")
    return {"rows": np.arange(len(rows), dtype=np.int64), "q": _q_values(plug, rows, data.action_count, repr(estimator))}


def _labels(plug: Any, rows: NDArray[Any], name: str) -> NDArray[np.int64]:
    parts = [plug] if not callable(plug) else [_one(plug, rows[i:i + BATCH], name) for i in range(0, len(rows), BATCH)]
    labels = np.concatenate([arrays.as_array(name, part).reshape(-1) for part in parts])
    if len(labels) != len(rows):
        raise PolicyError(f"{name}: {len(labels)} labels for {len(rows)} states (final states are the last of them)")
    try:
        return arrays.whole(name, labels, "labels must be whole numbers, one for each state")
    except InvalidArgument as error:
        raise PolicyError(str(error)) from None


def _one(plug: Callable[[NDArray[Any]], Any], states: NDArray[Any], name: str) -> NDArray[Any]:
    answer = arrays.as_array(name, plug(states))
    if answer.ndim == 0 or len(answer) != len(states):
        raise PolicyError(f"{name}: an array of the shape {answer.shape} for {len(states)} states; one for each is needed")
    return answer


def _q_values(plug: Any, rows: NDArray[Any], actions: int, name: str) -> NDArray[np.float64]:
    parts = [plug] if not callable(plug) else [_one(plug, rows[i:i + BATCH], name) for i in range(0, len(rows), BATCH)]
    values = np.concatenate([arrays.reals("q", part) for part in parts])
    if values.shape != (len(rows), actions):
        raise PolicyError(f"{name}: Q-values of the shape {values.shape}; ({len(rows)}, {actions}) is needed: one for every action")
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        error = PolicyError(f"{name}: the Q-function gave {values[row].tolist()} in row {row}; finite numbers are needed")
        error.row = row
        raise error
    return np.ascontiguousarray(values)


__all__ = ["evaluate", "inspect"]
