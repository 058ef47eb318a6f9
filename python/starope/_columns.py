"""Which column is what: the arguments that everything that takes logs has in common, in one place."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, Union

from numpy.typing import ArrayLike, NDArray

from ._errors import InvalidArgument, WrongType

if TYPE_CHECKING:
    from ._data import Dataset


class Table(Protocol):
    """A table that hands out a stream of Arrow: of pandas, polars, pyarrow, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> object: ...


class Classifier(Protocol):
    """A model as those of scikit-learn."""

    def predict_proba(self, states: Any, /) -> Any: ...


Policy = Callable[[NDArray[Any]], ArrayLike]
Behavior = str | ArrayLike | Policy | Classifier | None
Target = Behavior | os.PathLike[str]
Role = str | ArrayLike | None
Logs = Union["Dataset", Table, str, os.PathLike[str], Mapping[str, Any], Sequence[Mapping[str, Any]], NDArray[Any], None]
Function = TypeVar("Function", bound=Callable[..., Any])


class ColumnArguments(TypedDict, total=False):
    """The columns of logs: names in a table, or the columns themselves, one row per step."""

    episode: Role
    t: Role
    state: Role | Sequence[str] | Sequence[ArrayLike]
    action: Role | Sequence[str]
    reward: Role
    behavior_prob: Behavior
    behavior_logp: Role
    behavior_probs: Role
    target: Target
    target_logp: Role
    terminated: Role
    truncated: Role
    offsets: ArrayLike | None
    final_state: ArrayLike | None
    actions: int | None
    state_names: Sequence[str] | None
    sort: bool
    state_kind: str | None
    action_kind: str | None
    table: str | None
    sql: str | None
    duckdb_library: str | None


def takes_columns(function: Function) -> Function:
    """A function with **columns: its signature lists them, and a name that is none of them is refused."""
    signature = inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    named = [each.name for each in own if each.kind is inspect.Parameter.KEYWORD_ONLY]
    columns = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False if name == "sort" else None, annotation=annotation)
               for name, annotation in ColumnArguments.__annotations__.items() if name not in named]
    positional = [each for each in own if each.kind is not inspect.Parameter.KEYWORD_ONLY]
    keywords = [each for each in own if each.kind is inspect.Parameter.KEYWORD_ONLY]
    known = [each.name for each in (*columns, *keywords)]

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in known and name not in signature.parameters:
                near = difflib.get_close_matches(name, known, 1)
                raise WrongType(f"{function.__qualname__.removesuffix('.__init__')} has no argument '{name}'"
                                + (f". Did you mean '{near[0]}'?" if near else f". It has: {', '.join(known)}"))
        return function(*args, **given)

    call.__signature__ = signature.replace(parameters=[*positional, *columns, *keywords])  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def checked(columns: ColumnArguments) -> dict[str, Any]:
    """What was given, with words that only some options have."""
    for name in ("state_kind", "action_kind"):
        value = columns.get(name)
        if value not in (None, "discrete", "continuous"):
            raise InvalidArgument(f"{name}={value!r}: must be 'discrete' or 'continuous'")
    return dict(columns)
