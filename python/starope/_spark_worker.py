"""What runs on the executors of Spark: one partition, batch after batch."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from . import _arrays as arrays
from . import _core, _errors, statistics
from ._errors import DataError, Error, PolicyError
from ._groups import _texts
from ._policies import _function_of

TARGET = "starope_target"  # columns that hold what a policy says


@dataclass
class Reading:
    """How the rows of a partition become logs."""

    options: dict[str, Any]  # of the core's reader of tables
    episode: str
    states: list[str]
    policy: Any = None  # none: a column has the probabilities
    by: str | None = None  # a column whose value in the first row of every episode is wanted
    packed: bool = False  # the rows are in pieces, with what the policy says
    raised: Error | None = None  # by the policy, while the core read what it says

    def opened(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Rows, whether they are packed or not."""
        try:
            for batch in unpacked(batches) if self.packed else batches:
                if batch.num_rows > 0:
                    yield batch if self.packed or self.policy is None else with_policy(batch, self.states, self.policy)
        except Error as error:
            self.raised = error
            raise

    def stream(self, batches: Iterator[Any], first: Any) -> Any:
        return pa.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches)).__arrow_c_stream__()


def pack(batches: Iterator[Any], reading: Reading, wanted: list[Any] | None) -> Iterator[Any]:
    """Rows as they are kept from pass to pass: a batch is one value, so that the next pass gets it without a look at its rows. The policy is
    asked here, once. Of the wanted episodes, or of all."""
    ids: Any = None
    try:
        for batch in reading.opened(batches):
            if wanted is not None:
                column = batch.column(reading.episode)
                ids = pa.array(wanted, column.type) if ids is None else ids
                batch = batch.filter(pc.is_in(column, ids))
            if batch.num_rows > 0:
                yield _piece(batch, None)
    except Error as error:
        yield _piece(None, f"{type(error).__name__}\n{error}")


def unpacked(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for rows, error in zip(batch.column("rows"), batch.column("error")):
            if error.is_valid:
                kind, _, words = error.as_py().partition("\n")
                raise getattr(_errors, kind, DataError)(words)
            yield from pa.ipc.open_stream(rows.as_buffer())


def _piece(batch: Any, error: str | None) -> Any:
    """A row that holds a batch."""
    sink = pa.BufferOutputStream()
    if batch is not None:
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
    content = sink.getvalue()
    # Without a copy: offsets, and the bytes themselves.
    rows = pa.Array.from_buffers(pa.binary(), 1, [None, pa.py_buffer(np.array([0, content.size], dtype=np.int32)), content])
    return pa.RecordBatch.from_arrays([rows, pa.array([error], pa.string())], names=["rows", "error"])


def fold(batches: Iterator[Any], reading: Reading, like: bytes) -> Iterator[Any]:
    """The sums of a partition."""
    yield from _told(batches, reading, lambda place, first, rows: _counted(reading, rows, first, like, place))


def survey(batches: Iterator[Any], reading: Reading, like: bytes, most_steps: int) -> Iterator[Any]:
    """What all must know before they count: the sums of a plain recipe, with lengths and cuts of episodes; and the episodes with the
    smallest hashes, as many as a sample could need."""

    def work(place: int, first: Any, rows: Iterator[Any]) -> bytes:
        seen = _Episodes(reading.episode)
        counted = _counted(reading, seen.watch(rows), seen.look(first), like, place)
        return _joined(seen.smallest(most_steps), counted)

    yield from _told(batches, reading, work)


def look(batches: Iterator[Any], reading: Reading, gamma: float, ends_logged: bool, most_steps: int) -> Iterator[Any]:
    """What there is in a partition; and the episodes with the smallest hashes."""

    def work(_: int, first: Any, rows: Iterator[Any]) -> bytes:
        seen = _Episodes(reading.episode)
        found = _core.look_at_stream(reading.stream(seen.watch(rows), seen.look(first)), "rows", reading.options, gamma, ends_logged)
        return _joined(seen.smallest(most_steps), found)

    yield from _told(batches, reading, work)


def weigh(batches: Iterator[Any], reading: Reading, total: bytes) -> Iterator[Any]:
    """The weights of a partition, in the units of all."""
    yield from _told(batches, reading, lambda _, first, rows: _core.weigh_stream(reading.stream(rows, first), "rows", reading.options, total))


def replicate(batches: Iterator[Any], reading: Reading, total: bytes, interval: str, seed: int, run: int) -> Iterator[Any]:
    """The sums of the replicates of a bootstrap, in runs: each is added up elsewhere."""

    def work(_: int, first: Any, rows: Iterator[Any]) -> Iterator[bytes]:
        made = _core.replicates_stream(reading.stream(rows, first), "rows", reading.options, _core.Shard.from_bytes(total), interval, seed, 1)
        return (each.to_bytes() for each in made.split(run))

    yield from _told(batches, reading, work)


def add_runs(batches: Iterator[Any], total: bytes) -> Iterator[Any]:
    """Runs of replicates, those of a run one after the other in the order of the partitions: what they say together."""
    shard = _core.Shard.from_bytes(total)
    rows = (row for batch in batches for row in batch.to_pylist())
    for run, pieces in itertools.groupby(rows, key=lambda row: int(row["run"])):
        total_of_run: Any = None
        for piece in pieces:
            if piece["error"]:
                yield _row(run, piece["partition"], b"", piece["error"])
                return
            made = _core.Replicates.from_bytes(piece["bytes"])
            total_of_run = made if total_of_run is None else total_of_run + made
        answers = _core.solve_replicates(total_of_run, shard, 1)
        head = json.dumps([[len(values), failed] for values, failed in answers]).encode()
        yield _row(run, 0, _joined(head, b"".join(np.asarray(values).tobytes() for values, _ in answers)), None)


def answers_of_runs(contents: list[bytes]) -> list[tuple[Any, int]]:
    """What every estimator says in all replicates, and in how many it has no answer."""
    values: list[list[Any]] = []
    failed: list[int] = []
    for content in contents:
        head, tail = parted(content)
        sizes = json.loads(head)
        parts = np.split(np.frombuffer(tail, dtype=np.float64), np.cumsum([size for size, _ in sizes])[:-1])
        values = values or [[] for _ in sizes]
        failed = [before + now for before, (_, now) in zip(failed or [0] * len(sizes), sizes)]
        for all_of_it, part in zip(values, parts):
            all_of_it.append(part)
    return [(np.concatenate(each), lost) for each, lost in zip(values, failed)]


def influence(batches: Iterator[Any], reading: Reading, total: bytes) -> Iterator[Any]:
    """How much every episode moves each answer; and the group it belongs to."""
    firsts = _Firsts(reading.episode, reading.by)

    def work(_: int, first: Any, rows: Iterator[Any]) -> bytes:
        watched = firsts.watch(itertools.chain([first], rows))
        opened = next(watched)
        found = _core.influence_stream(reading.stream(watched, opened), "rows", reading.options, _core.Shard.from_bytes(total), 1)
        return _joined(json.dumps([firsts.values, [len(each) for each in found]]).encode(), b"".join(np.asarray(each).tobytes() for each in found))

    yield from _told(batches, reading, work)


def with_policy(batch: Any, states: list[str], policy: Any) -> Any:
    """The batch with the probabilities of all actions, as the policy gives them."""
    ask = _function_of(policy)
    assert ask is not None
    columns = [batch.column(name).to_numpy(zero_copy_only=False) for name in states]
    given = columns[0] if len(columns) == 1 and columns[0].dtype.kind in "iu" else np.stack([np.asarray(each, dtype=np.float64) for each in columns], axis=1)
    answer = arrays.reals("target", ask(given))
    if answer.ndim != 2 or len(answer) != batch.num_rows:
        raise PolicyError(f"target: the policy returned an array of the shape {answer.shape} for {batch.num_rows} states; ({batch.num_rows}, number of "
                          "actions) is needed: the probability of every action in every state")
    names = [*batch.schema.names, *(f"{TARGET}_{i}" for i in range(answer.shape[1]))]
    return pa.RecordBatch.from_arrays([*batch.columns, *(pa.array(np.ascontiguousarray(answer[:, i])) for i in range(answer.shape[1]))], names=names)


def first_values(batches: Iterator[Any], episode: str, by: str) -> list[str]:
    """The value of a column in the first row of every episode."""
    firsts = _Firsts(episode, by)
    for _ in firsts.watch(batches):
        pass
    return firsts.values


class _Firsts:
    """Looks at batches that pass by."""

    def __init__(self, episode: str, by: str | None) -> None:
        self._episode, self._by = episode, by
        self._last: Any = None
        self.values: list[str] = []

    def watch(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            if self._by is not None and batch.num_rows > 0:
                ids = batch.column(self._episode).to_numpy(zero_copy_only=False)
                begins = np.concatenate([[bool(self._last is None or ids[0] != self._last)], ids[1:] != ids[:-1]])
                self._last = ids[-1]
                values = batch.column(self._by).take(pa.array(np.flatnonzero(begins))).to_pylist()
                self.values += _texts(np.array(values, dtype=object))
            yield batch


class _Episodes:
    """Looks at batches that pass by: which episodes there are, and how long."""

    def __init__(self, episode: str) -> None:
        self._episode = episode
        self._last: Any = None
        self._ids: list[Any] = []  # arrays of the ids at which episodes begin
        self._lengths: list[int] = []

    def watch(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield self.look(batch)

    def look(self, batch: Any) -> Any:
        if batch.num_rows == 0:
            return batch
        column = batch.column(self._episode)
        ids = column.to_numpy(zero_copy_only=False)
        begins = np.flatnonzero(np.concatenate([[self._last is None or bool(ids[0] != self._last)], ids[1:] != ids[:-1]]))
        if len(begins) == 0 or begins[0] > 0:  # the episode of the last batch goes on
            self._lengths[-1] += int(begins[0]) if len(begins) else len(ids)
        self._ids.append(column.take(pa.array(begins)))
        self._lengths += np.diff(np.append(begins, len(ids))).tolist()
        self._last = ids[-1]
        return batch

    def smallest(self, most_steps: int) -> bytes:
        """Steps; ids, hashes and lengths of the episodes whose ids have the smallest hashes, as many as a sample of so many steps needs."""
        table = pa.table({self._episode: pa.chunked_array(self._ids), "starope_reward": pa.array(np.zeros(len(self._lengths)))})
        logs = _core.read_stream(table.__arrow_c_stream__(), "rows", {"episode": self._episode, "reward": "starope_reward"})
        columns = logs.columns()
        hashes, lengths = np.asarray(_core.episode_hashes(logs)), np.asarray(self._lengths, dtype=np.int64)
        order = np.argsort(hashes, kind="stable")
        chosen = order[np.concatenate([[0], np.cumsum(lengths[order])[:-1]]) <= most_steps]
        names = columns["episode_names"] if "episode_names" in columns else np.asarray(columns["episode_ids"]).tolist()
        return statistics._packed(int(lengths.sum()), [names[i] for i in chosen], hashes[chosen], lengths[chosen])


def _counted(reading: Reading, batches: Iterator[Any], first: Any, like: bytes, place: int) -> bytes:
    made = _core.count_stream(reading.stream(batches, first), "rows", reading.options, _core.Shard.from_bytes(like), "", 1, f"partition {place}")
    return made.to_bytes()


def _joined(head: bytes, tail: bytes) -> bytes:
    return len(head).to_bytes(8, "little") + head + tail


def parted(content: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(content[:8], "little")
    return content[8:8 + size], content[8 + size:]


def _row(run: int, place: int, content: bytes, error: str | None) -> Any:
    return pa.RecordBatch.from_pydict({"run": pa.array([run], pa.int32()), "partition": pa.array([place], pa.int32()),
                                       "bytes": pa.array([content], pa.binary()), "error": pa.array([error], pa.string())})


def _told(batches: Iterator[Any], reading: Reading, work: Callable[[int, Any, Iterator[Any]], bytes | Iterator[bytes]]) -> Iterator[Any]:
    """What a partition found, in one run or several; nothing where it has no rows. Wrong data are told, not raised: Spark would try
    again, and wrap the words in a page of Java."""
    task = TaskContext.get()
    place = task.partitionId() if task is not None else 0
    rows = reading.opened(batches)
    try:
        first = next(rows, None)
        if first is None:
            return
        made = work(place, first, rows)
        for run, content in enumerate([made] if isinstance(made, bytes) else made):
            yield _row(run, place, content, None)
    except Error as wrong:
        said = reading.raised or wrong
        yield _row(0, place, b"", f"{type(said).__name__}\n{said}")
