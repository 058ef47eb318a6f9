"""Files that memory does not hold: read in blocks, with the answers of the program and of memory, to the bit."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest
from conftest import Array, known
from test_results import program

import starope as so

LITTLE = "200kB"
NAMES = ["naive", "wis", "wpdis", "star(clusters=4,clip=2)"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two blocks of steps, with a ward that plays no role."""
    logs = so.simulate("cartpole", episodes=3300, seed=8)
    assert logs.steps > 66_000
    table = pd.DataFrame(logs._table())
    table["ward"] = np.where(table["episode"] % 3 == 0, "icu", "other")
    path = tmp_path_factory.mktemp("logs") / "many.csv"
    table.to_csv(path, index=False)
    return path


def follow(states: Array) -> Array:
    right = 1 / (1 + np.exp(-2.0 * (states[:, 2] + states[:, 3])))
    return np.stack([1 - right, right], axis=1)


def test_the_answers_are_those_of_the_program(file: Path, tmp_path: Path) -> None:
    e = so.evaluate(file, estimators=[*NAMES, "fqe"], by="ward", memory=LITTLE)
    assert e.to_json() == program("evaluate", file, "--json", "--memory", LITTLE, "--by", "ward", "--estimators", ",".join([*NAMES, "fqe"]))
    assert e["fqe"].error_code == "needs_memory" and "memory=" in str(e["fqe"].error), "in memory there is an answer"
    few = tmp_path / "few.csv"
    so.simulate("cartpole", episodes=100, seed=8).write(few)
    usual = so.evaluate(few, horizon=50, memory=20_000)
    assert usual.to_json() == program("evaluate", few, "--json", "--memory", "20kB", "--horizon", 50)
    assert so.inspect(file, memory=LITTLE).to_json() == program("inspect", file, "--json", "--memory", LITTLE)
    both = so.compare(file, targets=["target_prob", "behavior_prob"], estimator="wpdis", memory=LITTLE)
    assert both.to_json() == program("compare", file, "--json", "--memory", LITTLE, "--estimator", "wpdis", "--target-prob", "target_prob",
                                     "--target-prob", "behavior_prob")


def values(e: so.Evaluation) -> list[Any]:
    return [(each.value, each.std_error) for each in e.estimates]


def test_blocks_have_the_numbers_of_memory(file: Path) -> None:
    assert values(so.evaluate(file, estimators=NAMES, memory=LITTLE)) == values(so.evaluate(file, estimators=NAMES))
    # A policy is asked block by block, and one of all actions is looked up.
    for target in (follow, "target_probs"):
        assert values(so.evaluate(file, target=target, estimators=NAMES, memory=LITTLE)) == values(so.evaluate(file, target=target, estimators=NAMES))
    by_function = so.evaluate(file, behavior_prob=lambda states: np.full((len(states), 2), 0.5), estimators=NAMES, memory=LITTLE)
    assert values(by_function) == values(so.evaluate(file, estimators=NAMES))
    a, b = (so.compare(file, targets={"steep": follow, "even": "behavior_prob"}, estimator="wpdis", memory=memory) for memory in (LITTLE, None))
    assert [each["value"] for each in a.to_dict()["policies"]] == [each["value"] for each in b.to_dict()["policies"]]


def test_a_policy_of_a_file(file: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({"schema": "starope.policy/1", "layers": [{"weight": [[0, 0, -1, -1], [0, 0, 1, 1]]}]}))
    assert values(so.evaluate(file, target=policy, estimators=NAMES, memory=LITTLE)) == values(so.evaluate(file, target=policy, estimators=NAMES))


def test_a_stream_is_read_once(file: Path) -> None:
    def stream() -> pa.RecordBatchReader:
        return pyarrow.csv.open_csv(file, read_options=pyarrow.csv.ReadOptions(block_size=100_000))

    expected = values(so.evaluate(file, estimators=NAMES))
    assert values(so.evaluate(stream(), estimators=NAMES, memory=LITTLE)) == expected
    assert values(so.evaluate(stream(), estimators=NAMES, memory="1GB")) == expected
    with pytest.raises(so.InvalidArgument, match="by: .*column of their file"):
        so.evaluate(stream(), estimators=NAMES, memory=LITTLE, by="ward")


def test_rows_are_counted_from_the_beginning_of_the_file(file: Path) -> None:
    """What a policy says is checked in every block, and the row is that of all logs."""
    def wrong(states: Array) -> Array:
        shares = follow(states)
        shares[np.abs(states[:, 2] - place) < 1e-12] *= 2
        return shares

    logs = so.Dataset(file)
    row = logs.steps - 5  # not in the first block
    place = known(logs.states)[row, 2]
    for memory in (None, LITTLE):
        with pytest.raises(so.PolicyError, match="sums to 2") as raised:
            so.evaluate(file, target=wrong, estimators=NAMES, memory=memory)
        assert raised.value.row == row


def test_what_needs_all_logs_says_so(file: Path) -> None:
    with pytest.raises(so.FileError, match="fqe cannot answer without all logs in memory: .* 200 kB may be used. Allow more with memory="):
        so.evaluate(file, estimators="fqe", memory=LITTLE)
    with pytest.raises(so.FileError, match="can only be read at once"):
        so.evaluate(file, sort=True, memory=LITTLE)
    with pytest.raises(so.FileError, match="need all logs in memory"):
        so.evaluate(file, behavior="estimate", estimators=NAMES, memory=LITTLE)
    with pytest.raises(so.FileError, match="need all logs in memory"):
        so.evaluate(file, quantiles=0.5, estimators=NAMES, memory=LITTLE)
    with pytest.raises(so.InvalidArgument, match="written in Python needs all logs"):
        so.evaluate(file, estimators=[so.Star(labels=lambda states: (states[:, 2] > 0).astype(int))], memory=LITTLE)
    with pytest.raises(so.InvalidArgument, match="an array needs all logs in memory"):
        so.evaluate(file, target=np.full((7, 2), 0.5), memory=LITTLE)
    for wrong in ("lots", "2 GB", "-1GB", 0, -5):
        with pytest.raises(so.InvalidArgument, match="memory=.*number with a unit"):
            so.evaluate(file, memory=wrong)
    with pytest.raises(so.WrongType, match="memory=2.5"):
        so.evaluate(file, memory=2.5)  # type: ignore[arg-type]


def test_it_takes_less_memory(tmp_path: Path) -> None:
    """A file that takes some 200 MB in memory, of which 10 may be used, and what reading holds at a time comes on top."""
    so.simulate("cartpole", episodes=40_000, seed=2).write(tmp_path / "logs.csv")
    script = ("import sys, starope as so\npeak = lambda: int(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\nbefore = peak()\n"
              "e = so.evaluate(sys.argv[1], estimators='wpdis', threads=1, memory=sys.argv[2])\nprint(peak() - before, e.value)")
    added, said = zip(*(subprocess.run([sys.executable, "-c", script, str(tmp_path / "logs.csv"), memory], capture_output=True, text=True, check=True).stdout.split()
                        for memory in ("10MB", "10GB")))
    assert said[0] == said[1]
    assert int(added[0]) < 0.6 * int(added[1]), f"kB: {added}"
