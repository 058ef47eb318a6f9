"""Logs of a file that memory does not hold: blocks of whole episodes, gone through as often as an answer needs."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._arrays import Columns
from ._columns import Behavior, Target
from ._data import Dataset
from ._errors import InvalidArgument, WrongType
from ._policies import asks, policy_columns


class Blocks:
    """What a Dataset is, as far as a question needs it."""

    def __init__(self, logs: _core.Blocks, file: str) -> None:
        self._logs, self._file = logs, file

    def _columns(self) -> Columns:
        """Of the first block: which there are."""
        return Dataset._of(self._logs.first(), self._file)._columns()

    def with_target(self, target: Target) -> Blocks:
        if isinstance(target, os.PathLike):
            return Blocks(self._logs.with_policy_of(os.fspath(target)), self._file)
        return self._with_policy(target, "target")

    def with_behavior(self, behavior: Behavior) -> Blocks:
        return self._with_policy(behavior, "behavior")

    def completed(self, who: str) -> Blocks:
        """With the probabilities of the logged actions, of which the logs have all."""
        return self._made_of(lambda data, before: policy_columns(data, data._columns()[f"{who}_probs"], who, before))

    def _with_policy(self, policy: Any, who: str) -> Blocks:
        """The policy is asked block by block, again in every pass."""
        if not asks(policy):
            raise InvalidArgument(f"{who}: an array needs all logs in memory, and these come in blocks. Give a function, or allow more with memory=")
        return self._made_of(lambda data, before: policy_columns(data, policy, who, before))

    def _made_of(self, columns: Any) -> Blocks:
        def made(logs: _core.Logs, before: int) -> Columns:
            found: Columns = columns(Dataset._of(logs, self._file), before)
            return found

        return Blocks(self._logs.with_columns_of(made), self._file)


def memory_of(memory: Any) -> int | None:
    """Bytes that logs may take, from what was given; None: half of what the machine has."""
    if memory is None:
        return None
    if isinstance(memory, bool) or not isinstance(memory, (int, str)):
        raise WrongType(f"memory={memory!r}: {_core.size_rule}")
    bytes_of = _core.parse_size(str(memory))
    if bytes_of is None:
        raise InvalidArgument(f"memory={memory!r}: {_core.size_rule}")
    return bytes_of


__all__ = ["Blocks", "memory_of"]
