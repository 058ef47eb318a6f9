"""Simulated worlds and studies: those of the program."""

import json
import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import BUILD, known

import starope as so

PROGRAM = BUILD / "bin" / "starope"


def test_simulated_logs_are_those_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    subprocess.run([PROGRAM, "simulate", "cartpole", "--episodes", "40", "--seed", "6", "-o", path], check=True, capture_output=True)
    mine, theirs = so.simulate("cartpole", episodes=40, seed=6), so.Dataset(path)
    assert np.array_equal(known(mine.states), known(theirs.states)) and np.array_equal(mine.rewards, theirs.rewards)
    assert np.array_equal(known(mine.target_probs), known(theirs.target_probs))


def test_domains_and_truths() -> None:
    names = [each["name"] for each in so.domains()]
    assert "cartpole" in names and "asterix" in names
    value, error = so.true_value("cartpole")
    assert 39 < value < 40 and 0 < error < 0.01
    with pytest.raises(so.InvalidArgument, match="cartpole"):
        so.simulate("cartpol")


def test_a_study(tmp_path: Path) -> None:
    told = []
    study = so.study("smoke", folder=tmp_path / "smoke", trials=2, progress=lambda *at: told.append(at))
    subprocess.run([PROGRAM, "study", "smoke", "--trials", "2", "-o", tmp_path / "theirs"], check=True, capture_output=True)
    theirs = so.read_study(tmp_path / "theirs")

    def timeless(found: so.Study) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(json.dumps(found.to_dict()), object_hook=lambda each: {k: v for k, v in each.items() if k != "seconds"})
        return made

    assert timeless(study) == timeless(theirs)
    frame = study.to_frame()
    assert {"domain", "size", "estimator", "mse"} <= set(frame.columns) and len(frame) > 5
    assert "estimator" in str(study) and pickle.loads(pickle.dumps(study)).to_dict() == study.to_dict()
    with pytest.raises(so.InvalidArgument):
        so.study("smoke", folder=tmp_path / "smoke", trials=2)
    assert so.study("smoke", folder=tmp_path / "smoke", trials=2, resume=True).to_dict() == study.to_dict()


def test_parts_of_a_study_are_joined(tmp_path: Path) -> None:
    whole = so.study("smoke", folder=tmp_path / "whole", trials=2, estimators=["naive", "wpdis"])
    for i in (1, 2):
        so.study("smoke", folder=tmp_path / str(i), trials=2, estimators=["naive", "wpdis"], shard=f"{i}/2")
    merged = so.merge_studies([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")
    for mine, theirs in zip(merged.cases, whole.cases, strict=True):
        assert [each["mse"] for each in mine["estimators"]] == [each["mse"] for each in theirs["estimators"]]
    with pytest.raises(so.InvalidArgument):
        so.study("smoke", folder=tmp_path / "3", shard="3/2")


def test_a_study_of_own_logs(tmp_path: Path) -> None:
    logs = so.simulate("cartpole", episodes=300, seed=2)
    truth, _ = so.true_value("cartpole")
    study = so.study({"poles": logs}, folder=tmp_path, truth={"poles": truth}, estimators=["naive", so.WPDIS()], sizes=[30, 100], trials=4)
    assert [(case["domain"], case["size"]) for case in study.cases] == [("poles", 30), ("poles", 100)]
    naive = study.cases[1]["estimators"][0]
    assert naive["estimator"] == "naive" and naive["mean"] == pytest.approx(21.8, abs=4) and naive["coverage"] == 0
    assert naive["bias_squared"] == pytest.approx((naive["mean"] - truth) ** 2)
    assert os.path.exists(tmp_path / "results.jsonl")
    with pytest.raises(so.InvalidArgument, match="cannot ask Python"):
        so.study({"poles": logs}, estimators=[so.Star(labels=lambda s: s)])


def test_what_a_study_would_not_use_is_refused(tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [{"gamma": 0.9}, {"horizon": 5}, {"truth": {"x": 1.0}}, {"sizes": [5]}]
    for given in wrong:
        with pytest.raises(so.InvalidArgument, match=f"{next(iter(given))}: belongs to logs of your own"):
            so.study("smoke", folder=tmp_path / "none", **given)
    logs = so.simulate("cartpole", episodes=20)
    with pytest.raises(so.InvalidArgument, match="truth: 'mein' is none of the logs 'mine'"):
        so.study({"mine": logs}, truth={"mein": 1.0}, folder=tmp_path / "own")
    assert list(tmp_path.iterdir()) == []


def test_wrong_calls_are_told_in_words(tmp_path: Path) -> None:
    logs = so.simulate("cartpole", episodes=20)
    calls: list[tuple[Any, str]] = [
        (lambda: so.simulate(3), "domain=3: a text"), (lambda: so.simulate("cartpole", behavior=3), "behavior=3: a text"),  # type: ignore[arg-type]
        (lambda: so.simulate("cartpole", episodes=None), "episodes=None"), (lambda: so.true_value("cartpole", 3), "policy=3: a text"),  # type: ignore[arg-type]
        (lambda: so.study({"mine": logs._table()}), "'mine' is dict; a Dataset"), (lambda: so.study({"mine": logs}, sizes=["a"]), "sizes='a'"),  # type: ignore[dict-item,list-item]
        (lambda: so.study({"mine": logs}, shard=3), "shard=3: a text"),  # type: ignore[arg-type]
        (lambda: so.compare(logs, targets=3), "targets: give the policies"),  # type: ignore[arg-type]
        (lambda: so.compare(logs, targets={"a": None}, estimator=["wis", "is"]), "estimator: 2 were given")]  # type: ignore[arg-type]
    for call, words in calls:
        with pytest.raises(so.InvalidArgument, match=words):
            call()
    with pytest.raises(so.FileError, match="nowhere/page.html: cannot be written"):
        so.evaluate(logs, estimators="wis").report(tmp_path / "nowhere" / "page.html")
