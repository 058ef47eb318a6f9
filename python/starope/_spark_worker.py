"""What runs on the executors of Spark: one partition, batch after batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from . import _arrays as arrays
from . import _core, statistics
from ._errors import Error, PolicyError

TARGET = "starope_target"


def fold(batches: Iterator[Any], options: dict[str, Any], like: bytes, states: list[str], policy: Callable[[Any], Any] | None) -> Iterator[Any]:
    """The sums of a partition. Wrong data are told, not raised: Spark would try again, and wrap the words in a page of Java."""
    place, first, batches = _opened(batches)
    if first is None:
        return
    try:
        if policy is not None:
            batches = (with_policy(each, states, policy) for each in batches)
            first = with_policy(first, states, policy)
        reader = pa.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))
        part = _core.count_stream(reader.__arrow_c_stream__(), "rows", options, _core.Shard.from_bytes(like), "", 1)
    except Error as error:
        yield _row(place, b"", str(error))
        return
    yield _row(place, part.to_bytes(), None)


def survey(batches: Iterator[Any], episode: str, most_steps: int) -> Iterator[Any]:
    """How many steps there are, and the episodes with the smallest hashes, as many as a sample could need."""
    place, first, batches = _opened(batches)
    if first is None:
        return
    table = pa.Table.from_batches([first, *batches])
    table = table.append_column("starope_reward", pa.array(np.zeros(table.num_rows)))
    try:
        logs = _core.read_stream(table.__arrow_c_stream__(), "rows", {"episode": episode, "reward": "starope_reward"})
    except Error as error:
        yield _row(place, b"", str(error))
        return
    columns = logs.columns()
    hashes, lengths = np.asarray(_core.episode_hashes(logs)), np.diff(columns["offsets"])
    order = np.argsort(hashes, kind="stable")
    fits = np.concatenate([[0], np.cumsum(lengths[order])[:-1]]) <= most_steps
    kept = order[fits]
    ids = columns["episode_names"] if "episode_names" in columns else np.asarray(columns["episode_ids"]).tolist()
    yield _row(place, statistics._packed(logs.steps, [ids[i] for i in kept], hashes[kept], lengths[kept]), None)


def with_policy(batch: Any, states: list[str], policy: Callable[[Any], Any]) -> Any:
    """The batch with the probabilities of all actions, as the policy gives them."""
    columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in states]
    given = columns[0] if len(columns) == 1 and columns[0].dtype.kind in "iu" else np.stack([np.asarray(each, dtype=np.float64) for each in columns], axis=1)
    answer = arrays.reals("target", policy(given))
    if answer.ndim != 2 or len(answer) != batch.num_rows:
        raise PolicyError(f"target: the policy returned an array of the shape {answer.shape} for {batch.num_rows} states; ({batch.num_rows}, number of "
                          "actions) is needed: the probability of every action in every state")
    names = [*batch.schema.names, *(f"{TARGET}_{i}" for i in range(answer.shape[1]))]
    return pa.RecordBatch.from_arrays([*batch.columns, *(pa.array(np.ascontiguousarray(answer[:, i])) for i in range(answer.shape[1]))], names=names)


def _opened(batches: Iterator[Any]) -> tuple[int, Any, Iterator[Any]]:
    """The number of the partition, its first batch with rows (none: it is empty), and the others."""
    task = TaskContext.get()
    first = next((each for each in batches if each.num_rows > 0), None)
    return (task.partitionId() if task is not None else 0), first, batches


def _row(place: int, content: bytes, error: str | None) -> Any:
    return pa.RecordBatch.from_pydict(
        {"partition": pa.array([place], pa.int32()), "bytes": pa.array([content], pa.binary()), "error": pa.array([error], pa.string())})
