"""Observations of any shape as rows of numbers with names: dictionaries, tuples, images, ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import WrongType


def is_ids(values: Any) -> bool:
    """Whole numbers, one for each step: what a Discrete space gives."""
    return not isinstance(values, (Mapping, tuple, list)) and np.asarray(values).dtype.kind in "iu" and np.asarray(values).ndim == 1


def flattened(values: Any, name: str = "") -> tuple[list[NDArray[Any]], list[str]]:
    """Columns and their names, of arrays with one row per step, however they are nested."""
    if isinstance(values, Mapping):
        parts = [flattened(values[key], f"{name}/{key}" if name else str(key)) for key in values]
    elif isinstance(values, (tuple, list)) and not np.isscalar(values[0] if len(values) else 0):
        parts = [flattened(each, f"{name}/{i}" if name else str(i)) for i, each in enumerate(values)]
    else:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise WrongType(f"observations{'/' + name if name else ''}: {array.dtype} values, which are no numbers. Leave them out")
        rows = array.reshape(len(array), -1)
        names = [name] if rows.shape[1] == 1 and name else [f"{name or 'state'}_{i}" for i in range(rows.shape[1])]
        return [rows], names
    return [array for arrays, _ in parts for array in arrays], [each for _, names in parts for each in names]


def rows_of(values: Any) -> tuple[NDArray[Any], list[str]]:
    """Ids as they are, everything else as features (n, d) with their names."""
    if is_ids(values):
        return np.asarray(values), []
    columns, names = flattened(values)
    if len(columns) == 1:
        return columns[0], names
    return np.concatenate([np.asarray(each, dtype=np.result_type(np.float32, *columns)) for each in columns], axis=1), names
