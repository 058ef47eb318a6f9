"""Arrays as the core takes them: of the right type, without gaps. What already is so is not copied."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import InvalidArgument, WrongType

Columns = dict[str, Any]


def packed(array: NDArray[Any], kind: Any = None) -> NDArray[Any]:
    """Without gaps, at an address where such a number may lie: a copy unless it is so already."""
    return np.require(array, dtype=kind, requirements=["C", "ALIGNED"])


_INT32_MOST = np.iinfo(np.int32).max


def as_array(name: str, values: Any) -> NDArray[Any]:
    """Any array-like as an array of numbers, truth values or texts; no copy of an array."""
    if hasattr(values, "detach") and hasattr(values, "cpu"):  # a torch tensor, wherever it is
        values = values.detach().cpu().numpy()
    if isinstance(values, np.ma.MaskedArray) and bool(np.ma.is_masked(values)):
        raise InvalidArgument(f"{name}: a masked array with missing values. Fill them, or leave these steps out")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidArgument(f"{name}: {error}. Give an array with one row per step") from error
    if array.dtype.kind in "biufUS":
        return array
    if array.dtype.kind == "O":  # numbers or texts that lie in objects, as pandas has them
        return _of_objects(name, array)
    raise WrongType(f"{name}: values of the type {array.dtype} are no numbers. Convert them to float64 or int64")


def _of_objects(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers stay whole, also beside missing ones: through floats, neighbors beyond 2^53 would be the same."""
    kinds = {type(each) for each in array.flat}
    if not kinds:
        return array.astype(np.float64)
    if all(issubclass(kind, (str, uuid.UUID)) for kind in kinds):
        return array.astype(str)
    if all(issubclass(kind, bytes) for kind in kinds):
        return array.astype(np.bytes_)
    if all(issubclass(kind, (bool, np.bool_)) for kind in kinds):
        return array.astype(np.bool_)
    if all(issubclass(kind, (int, np.integer)) for kind in kinds):
        try:
            return array.astype(np.int64)
        except OverflowError:
            most = max(array.flat, key=abs)
            raise InvalidArgument(f"{name}: {most} is beyond the whole numbers of 64 bits. Number these from 0, or give them as texts") from None
    if any(kind.__name__ in ("NAType", "NaTType") for kind in kinds):  # of pandas
        array = np.array([np.nan if type(each).__name__ in ("NAType", "NaTType") else each for each in array.flat], dtype=object).reshape(array.shape)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise WrongType(f"{name}: objects that are no numbers ({error}). Give an array of numbers") from error


def reals(name: str, values: Any) -> NDArray[np.float64]:
    """As float64 without gaps: a copy unless it is that already."""
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
        raise WrongType(f"{name}: values of the type {array.dtype}; numbers are needed")
    return packed(array, np.float64)


def column(name: str, values: Any, steps: int) -> NDArray[np.float64]:
    array = reals(name, values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.reshape(-1)
    if array.ndim != 1 or len(array) != steps:
        raise InvalidArgument(f"{name}: an array of the shape {array.shape}; one number for each of the {steps} steps is needed")
    return array


_EXACT = 2.0**53  # whole numbers up to here are floats of their own


def whole(name: str, array: NDArray[Any], rule: str = "must be whole numbers") -> NDArray[np.int64]:
    if array.dtype.kind not in "biuf":
        raise WrongType(f"{name}: values of the type {array.dtype}; whole numbers are needed")
    if array.dtype.kind == "f":
        wrong = ~(np.abs(array) <= _EXACT) | (array != np.floor(array))
        if wrong.any():
            at = int(np.flatnonzero(wrong.reshape(-1))[0])
            value = float(array.reshape(-1)[at])
            if np.isfinite(value) and value == np.floor(value):
                rule = "is a float beyond 2^53, where neighbors are the same number. Keep ids as integers or texts"
            raise InvalidArgument(f"{name}: {'is missing' if np.isnan(value) else f'{value:.17g}'} in row {at}; {rule}")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise InvalidArgument(f"{name}: {array.max()} is beyond the largest whole number of 64 bits with a sign, "
                              f"{np.iinfo(np.int64).max}. Number these from 0, or give them as texts")
    return packed(array, np.int64)


def is_stack(values: Any) -> bool:
    """A list of columns, as opposed to one array: lists of plain lists are rows."""
    return isinstance(values, (list, tuple)) and len(values) > 0 and all(hasattr(each, "__array__") and np.ndim(each) == 1 for each in values)


def state_columns(values: Any, names: Sequence[str] | None = None, kind: str | None = None) -> Columns:
    """Whole numbers of one dimension are ids; truth values are bits; everything else are features."""
    array = np.stack([as_array("state", each) for each in values], axis=1) if is_stack(values) else as_array("state", values)
    if array.dtype.kind in "US":
        raise WrongType("state: texts. Number the states from 0, for example with numpy.unique(..., return_inverse=True)")
    if array.ndim > 2:
        array = array.reshape(len(array), -1)
    if kind == "discrete" or (kind is None and array.ndim == 1 and array.dtype.kind in "iu"):
        if array.ndim == 2 and array.shape[1] != 1:
            raise InvalidArgument(f"state: state_kind is 'discrete', but there are {array.shape[1]} numbers in each row. Give one id for each step")
        return {"state_ids": whole("state", array.reshape(-1), "state_kind is 'discrete': every state must be a whole number")}
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    given = list(names or [])
    if given and len(given) != array.shape[1]:
        raise InvalidArgument(f"names: {len(given)} names for {array.shape[1]} features")
    if array.dtype.kind == "b":
        bits = np.packbits(array, axis=1, bitorder="little")
        words = (array.shape[1] + 63) // 64
        padded = np.zeros((len(array), 8 * words), dtype=np.uint8)
        padded[:, :bits.shape[1]] = bits
        return {"bits": padded.view("<u8").astype(np.uint64, copy=False), "dimension": array.shape[1], "names": given}
    if array.dtype not in (np.dtype(np.float32), np.dtype(np.float64)):  # other byte orders too
        array = array.astype(np.float32 if array.dtype == np.dtype(np.float32).newbyteorder() else np.float64)
    return {"features": packed(array), "dimension": array.shape[1], "names": given}


def action_columns(values: Any, count: int | None, kind: str | None = None) -> Columns:
    """Whole numbers are the numbers of actions; everything else are continuous actions."""
    array = as_array("action", values)
    if array.dtype.kind in "US":
        raise WrongType("action: texts. Number the actions from 0, for example with numpy.unique(..., return_inverse=True)")
    if array.ndim == 2 and array.shape[1] == 1 and (array.dtype.kind in "biu" or kind == "discrete"):
        array = array.reshape(-1)
    discrete = kind == "discrete" or (kind is None and array.dtype.kind in "biu" and array.ndim == 1)
    if not discrete:
        array = reals("action", array)
        array = array.reshape(len(array), -1)
        return {"action_values": np.ascontiguousarray(array), "action_dimension": array.shape[1]}
    if array.ndim != 1:
        raise InvalidArgument(f"action: action_kind is 'discrete', but the shape is {array.shape}. Give one number for each step")
    if array.dtype.kind == "f":
        array = whole("action", array, "action_kind is 'discrete': every action must be a whole number")
    if array.size and (int(array.min()) < 0 or int(array.max()) >= _INT32_MOST):
        wrong = array.min() if int(array.min()) < 0 else array.max()
        raise InvalidArgument(f"action: {wrong} is no number of an action. Number them 0, 1, 2, ...")
    most = int(array.max()) + 1 if array.size else 1
    if count is not None and most > count:
        raise InvalidArgument(f"action: {most - 1} is not one of the {count} actions 0..{count - 1}")
    return {"action_ids": packed(array, np.int32), "actions": max(most, count or 0)}


def distribution(name: str, values: Any, steps: int) -> NDArray[np.float64]:
    array = reals(name, values)
    if array.ndim != 2 or array.shape[0] != steps:
        raise InvalidArgument(f"{name}: an array of the shape {array.shape}; ({steps}, number of actions) is needed")
    return array


def offsets_of(values: Any, steps: int) -> NDArray[np.int64]:
    array = whole("offsets", as_array("offsets", values), "offsets are whole numbers")
    if array.ndim != 1 or len(array) < 2 or array[0] != 0 or array[-1] != steps:
        raise InvalidArgument(f"offsets: must go from 0 to {steps}, the number of steps, with one more entry than there are episodes")
    short = np.flatnonzero(np.diff(array) < 1)
    if len(short):
        raise InvalidArgument(f"offsets: episode {short[0]} has no steps (offsets[{short[0]}] = {array[short[0]]}, "
                              f"offsets[{short[0] + 1}] = {array[short[0] + 1]}). Leave empty episodes out")
    return array


def episodes_of(values: Any, sort: bool, times: NDArray[Any] | None = None) -> tuple[NDArray[np.int64], Columns, NDArray[np.int64] | None]:
    """Offsets, the ids of the episodes, and the order in which rows must be taken if they are not in order: by episode, and by time."""
    ids = as_array("episode", values)
    if ids.ndim != 1:
        raise InvalidArgument(f"episode: an array of the shape {ids.shape}; one id for each step is needed")
    if ids.dtype.kind == "S":
        ids = np.char.decode(ids, "utf-8", "replace")
    if ids.dtype.kind in "bfu":
        ids = whole("episode", ids, "ids are whole numbers or texts")
    starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]])) if len(ids) else np.zeros(0, dtype=np.int64)
    names = ids[starts]
    order = None
    distinct, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    if len(distinct) != len(names) and not sort:
        again = _first_again(names)
        raise InvalidArgument(f"episode: rows of episode {again!s} are not together. Sort the rows by episode, or pass sort=True")
    if len(distinct) != len(names) or (sort and times is not None):
        rank = np.empty(len(distinct), dtype=np.int64)
        rank[np.argsort(first, kind="stable")] = np.arange(len(distinct))
        places = rank[inverse.reshape(-1)]
        order = np.argsort(places, kind="stable") if times is None else np.lexsort((times, places))
        if (order[1:] > order[:-1]).all():
            order = None
        else:
            ids = ids[order]
            starts = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
            names = ids[starts]
    offsets = np.append(starts, len(ids)).astype(np.int64)
    if names.dtype.kind in "US":
        return offsets, {"episode_names": [str(each) for each in names]}, order
    return offsets, {"episode_ids": np.ascontiguousarray(names, dtype=np.int64)}, order


def _first_again(names: NDArray[Any]) -> Any:
    seen = set()
    for each in names.tolist():
        if each in seen:
            return each
        seen.add(each)
    return names[0]


def last_flags(name: str, values: Any, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """One truth value per episode, from one per episode or one per step, where only the last step's may be set."""
    array = as_array(name, values)
    steps, episodes = int(offsets[-1]), len(offsets) - 1
    if array.dtype.kind in "US":
        raise WrongType(f"{name}: texts. Give truth values")
    array = array.reshape(-1)
    wrong = np.flatnonzero((array != 0) & (array != 1))
    if len(wrong):
        raise InvalidArgument(f"{name}: {array[wrong[0]]} in row {wrong[0]} is neither 0 nor 1")
    flags = array.astype(bool)
    if len(flags) == steps:
        inside = flags.copy()
        inside[offsets[1:] - 1] = False
        if inside.any():
            row = int(np.flatnonzero(inside)[0])
            raise InvalidArgument(f"{name}: set in row {row}, but the episode goes on. Set it only in the last row of an "
                                  "episode, or start a new episode there")
        return flags[offsets[1:] - 1]
    if len(flags) != episodes:
        raise InvalidArgument(f"{name}: {len(flags)} values; one for each of the {steps} steps or {episodes} episodes is needed")
    return flags


def times_of(values: Any, steps: int) -> NDArray[Any]:
    """Times that can be compared: numbers as they are, dates and durations as well."""
    array = np.asarray(values)
    if array.dtype.kind == "O" and array.size and all(isinstance(each, datetime.datetime) for each in array.flat):
        array = np.array([each.timestamp() for each in array.flat])
    if array.dtype.kind in "mM":
        if np.isnat(array).any():
            raise InvalidArgument(f"t: is missing in row {int(np.flatnonzero(np.isnat(array))[0])}. Write when the step happened, or leave t out")
        array = array.view(np.int64)
    array = as_array("t", array)
    if array.dtype.kind not in "biuf":
        raise WrongType(f"t: values of the type {array.dtype}; numbers or times are needed")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.reshape(-1)
    if array.shape != (steps,):
        raise InvalidArgument(f"t: an array of the shape {array.shape}; one number for each of the {steps} steps is needed")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InvalidArgument(f"t: {array[row]} in row {row} is no time. Write when the step happened, or leave t out")
    return array


def cuts_of(terminated: Any, truncated: Any, offsets: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Which episodes were cut: the rules of tables. Without a column every episode ended by itself."""
    ended = None if terminated is None else last_flags("terminated", terminated, offsets)
    cut = None if truncated is None else last_flags("truncated", truncated, offsets)
    if ended is not None:
        return np.ascontiguousarray(~ended, dtype=np.uint8)
    if cut is not None:
        return np.ascontiguousarray(cut, dtype=np.uint8)
    return np.zeros(len(offsets) - 1, dtype=np.uint8)
