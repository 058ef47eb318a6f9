"""Arrays of any shape, type and layout give the same answer, or an error of ours. Never a crash, never a silent change."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from conftest import Array, Columns

import starope as so

SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
Arguments = dict[str, Any]
FLOATS = st.floats(-100, 100, width=32)


@st.composite
def logs(draw: st.DrawFn) -> Arguments:
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=8))
    n, width = sum(lengths), draw(st.integers(1, 3))
    return {"offsets": np.concatenate([[0], np.cumsum(lengths)]),
            "state": draw(hnp.arrays(np.float32, (n, width), elements=FLOATS)).astype(np.float64),
            "reward": draw(hnp.arrays(np.float32, n, elements=FLOATS)).astype(np.float64),
            "behavior_prob": draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.25, 0.5, 1.0]))),
            "target": draw(hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])))}


def laid_out(array: Array, how: str) -> Array | list[Any]:
    """The same numbers in memory that looks different."""
    if how == "strided":
        wide = np.zeros((*array.shape[:-1], array.shape[-1] * 2), dtype=array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if how == "fortran":
        return np.asfortranarray(array)
    if how == "reversed":
        return np.ascontiguousarray(array[::-1])[::-1]
    if how == "read-only":
        array = array.copy()
        array.setflags(write=False)
        return array
    if how == "swapped":
        return array.astype(array.dtype.newbyteorder(">"))
    if how == "unaligned":
        raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
        raw[1:] = np.frombuffer(np.ascontiguousarray(array).tobytes(), dtype=np.uint8)
        return raw[1:].view(array.dtype).reshape(array.shape)
    if how == "list":
        rows: list[Any] = array.tolist()
        return rows
    return array


LAYOUTS = ["as is", "strided", "fortran", "reversed", "read-only", "swapped", "unaligned", "list"]


def answer(columns: Arguments, **options: Any) -> list[tuple[float | None, float | None, str | None]]:
    e = so.evaluate(estimators=["naive", "wis", "pdis", "star(phi=one,horizon=4)"], level=None, threads=1, **columns, **options)
    return [(each.value, each.std_error, each.error_code) for each in e.estimates]


@SETTINGS
@given(logs(), st.lists(st.sampled_from(LAYOUTS), min_size=4, max_size=4))
def test_the_layout_does_not_matter(columns: Arguments, layouts: list[str]) -> None:
    other = dict(columns)
    for name, how in zip(("state", "reward", "behavior_prob", "target"), layouts):
        other[name] = laid_out(columns[name], how)
    assert answer(other) == answer(columns)


@SETTINGS
@given(logs(), st.sampled_from([np.float16, np.float32, np.int8, np.int64, np.uint16, np.longdouble]))
def test_the_type_does_not_matter_where_the_numbers_are_the_same(columns: Arguments, kind: type[Any]) -> None:
    whole = {**columns, "reward": np.round(np.abs(columns["reward"])), "state": np.round(np.abs(columns["state"]))}
    other = {**whole, "reward": whole["reward"].astype(kind), "state": whole["state"].astype(kind)}
    assert answer(other, state_kind="continuous") == answer(whole, state_kind="continuous")


@SETTINGS
@given(logs(), st.sampled_from(["state", "reward", "behavior_prob", "target"]), st.sampled_from([np.nan, np.inf, -np.inf]), st.integers(0, 10**6))
def test_what_is_not_finite_is_refused_with_its_place(columns: Arguments, name: str, value: float, where: int) -> None:
    broken = {**columns, name: columns[name].copy()}
    row = where % len(columns["reward"])
    broken[name].reshape(len(columns["reward"]), -1)[row, 0] = value
    episode = int(np.searchsorted(columns["offsets"], row, side="right")) - 1
    with pytest.raises(so.DataError) as raised:
        answer(broken)
    assert raised.value.episode == str(episode) and raised.value.step == row - columns["offsets"][episode]


@SETTINGS
@given(logs(), st.integers(-2**63, 2**63 - 9), st.booleans())
def test_any_ids_will_do(columns: Arguments, first: int, texts: bool) -> None:
    lengths = np.diff(columns["offsets"])
    ids = first + np.arange(len(lengths))
    given_ids = np.repeat([f"stay {each}" for each in ids] if texts else ids, lengths)
    rest = {name: values for name, values in columns.items() if name != "offsets"}
    data = so.Dataset(episode=given_ids, **rest)
    assert [str(each).removeprefix("stay ") for each in data.episode_ids] == [str(each) for each in ids]
    assert answer({"episode": given_ids, **rest}) == answer(columns)


@SETTINGS
@given(logs())
def test_offsets_and_ids_say_the_same(columns: Arguments) -> None:
    n = len(columns["offsets"]) - 1
    rest = {name: values for name, values in columns.items() if name != "offsets"}
    assert answer({"episode": np.repeat(np.arange(n), np.diff(columns["offsets"])), **rest}) == answer(columns)


@SETTINGS
@given(logs(), st.lists(st.integers(-3, 40), min_size=0, max_size=9))
def test_any_offsets_are_right_or_refused(columns: Arguments, offsets: list[int]) -> None:
    n = len(columns["reward"])
    right = len(offsets) > 1 and offsets[0] == 0 and offsets[-1] == n and all(a < b for a, b in zip(offsets, offsets[1:]))
    try:
        other: Arguments = {**columns, "offsets": offsets}
        so.Dataset(**other)
        assert right
    except so.Error:
        assert not right


@SETTINGS
@given(hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(max_dims=3, max_side=4)), st.sampled_from(["state", "reward", "action", "target", "episode"]))
def test_any_array_is_taken_or_refused(values: Array, role: str) -> None:
    n = 4
    columns: Arguments = {"episode": np.arange(n), "state": np.zeros((n, 2)), "reward": np.zeros(n), "action": np.zeros(n, int), "behavior_prob": np.full(n, 0.5),
               "target": np.full(n, 0.5), role: values}
    try:
        so.evaluate(estimators="naive", **columns)
    except (so.Error, ValueError, TypeError) as error:
        assert isinstance(error, so.Error), f"{type(error).__name__}: {error}"
