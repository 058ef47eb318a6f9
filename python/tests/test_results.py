"""Answers: the program's, for eyes, notebooks and programs."""

import json
import os
import pickle
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import Array, BUILD, SOURCE, known

import starope as so

PROGRAM = BUILD / "bin" / "starope"
NAMES = ["naive", "wis", "star(clusters=4,clip=2)", "fqe(features=linear)"]


def program(*arguments: str | float | Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True, env=environment).stdout


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "cartpole.csv"
    so.simulate("cartpole", episodes=60, seed=3).write(path, final_states=False)
    return path


@pytest.fixture(scope="module")
def evaluation(file: Path) -> so.Evaluation:
    return so.evaluate(file, estimators=NAMES, gamma=0.99, seed=4)


def test_the_same_bits_as_the_program(file: Path, evaluation: so.Evaluation) -> None:
    printed = program("evaluate", file, "--json", "--gamma", 0.99, "--seed", 4, "--estimators", ",".join(NAMES))
    assert evaluation.to_dict() == json.loads(printed)
    assert evaluation.to_json() == printed


def test_print_is_the_table_of_the_program(file: Path, evaluation: so.Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert str(evaluation) == program("evaluate", file, "--gamma", 0.99, "--seed", 4, "--estimators", ",".join(NAMES))
    assert repr(evaluation) == str(evaluation)


def test_every_number_of_threads_gives_the_same(file: Path, evaluation: so.Evaluation) -> None:
    for threads in (1, 3):
        assert so.evaluate(file, estimators=NAMES, gamma=0.99, seed=4, threads=threads) == evaluation


def test_golden_numbers() -> None:
    """Numbers of other people's code: tests/data/README.md."""
    for domain in ("cartpole", "sepsis"):
        reference = json.loads((SOURCE / "tests/data/golden" / f"{domain}_reference.json").read_text())
        data = so.Dataset(SOURCE / "tests/data/golden" / f"{domain}.npz")
        names = {"NAIVE": "naive", "IS": "is", "WIS": "wis", "PDIS_STEP_IS": "pdis", "WPDIS_STEP_WIS": "wpdis"}
        known = {name: reference["official"][key] for key, name in names.items()}
        for record in reference["STAR"]:
            centroids = SOURCE / "tests/data/golden/abstractions" / f"{domain}_{record['centroids']}_K{record['K']}.csv"
            if domain == "cartpole" and centroids.exists():
                known[f"star(centroids={centroids},clip={record['c'] or 'none'},horizon=none)"] = record["exact_trunc_as_term"]
        e = so.evaluate(data, estimators=list(known))
        for each, value in zip(e.estimates, known.values(), strict=True):
            assert each.value == pytest.approx(value, rel=1e-7), each.estimator


def test_the_answer(evaluation: so.Evaluation) -> None:
    answer, interval = evaluation.answer, known(evaluation.interval)
    assert answer.estimator != "naive" and answer.value == evaluation.value == evaluation[answer.estimator].value
    assert interval == answer.interval and interval.lower < evaluation.value < interval.upper and evaluation.value in interval
    assert tuple(interval) == (interval.lower, interval.upper)
    assert evaluation.data["episodes"] == 60 and evaluation.data["gamma"] == 0.99
    with pytest.raises(KeyError, match="pdis"):
        evaluation["pdis"]


def test_the_difference_and_the_verdict_are_those_of_the_program(file: Path, evaluation: so.Evaluation) -> None:
    printed = json.loads(program("evaluate", file, "--json", "--gamma", 0.99, "--seed", 4, "--estimators", ",".join(NAMES)))
    assert evaluation.answer.estimator == printed["answer"]["estimator"]
    difference = known(evaluation.difference)
    assert difference.value == printed["difference"]["value"] and difference.logged == printed["difference"]["logged"]["value"]
    assert difference.value == pytest.approx(evaluation.value - known(evaluation["naive"].value), rel=1e-12)
    verdict = known(evaluation.verdict)
    assert str(verdict) == verdict.grade == printed["verdict"]["grade"] and verdict.supported == (verdict.grade == "supported")
    assert [each.code for each in verdict.reasons] == [each["code"] for each in printed["verdict"]["reasons"]]
    assert verdict.grade.replace("_", " ").capitalize() in evaluation._repr_html_()


def test_an_answer_that_python_helped_with_decides_where_nothing_else_can(cartpole: so.Dataset) -> None:
    def side(states: Array) -> Array:
        return (states[:, 2] > 0).astype(int)

    e = so.evaluate(cartpole, estimators=[so.Star(labels=side), "naive"])
    assert e.answer.estimator == "star(labels=side)" and e.verdict is not None
    assert known(e.difference).value == pytest.approx(e.value - known(e["naive"].value), rel=1e-12)
    second = so.evaluate(cartpole, estimators=[so.Star(labels=side), "wpdis", "naive"])
    assert second.answer.estimator == so.evaluate(cartpole, estimators=["wpdis", "naive"]).answer.estimator == "wpdis"


def test_for_whom(cartpole: so.Dataset) -> None:
    ward = np.where(np.arange(60) % 3 == 0, "icu", "other")
    e = so.evaluate(cartpole, estimators=["wpdis", "naive"], by=ward)
    assert len(e.groups) == 2 and e.to_dict()["by"] == "group"
    table = cartpole._table() | {"ward": np.repeat(ward, np.diff(cartpole.offsets)), "age": np.repeat(np.arange(60), np.diff(cartpole.offsets))}
    named = [so.evaluate(given, estimators=["wpdis", "naive"], by="ward").groups for given in (table, pd.DataFrame(table), pl.DataFrame(table))]
    assert named[0] == named[1] == named[2] and len(named[0]) == 2
    assert len(so.evaluate(table, estimators=["wpdis", "naive"], by="age<20").groups) == 2
    with pytest.raises(so.InvalidArgument, match="no such column"):
        so.evaluate(table, by="nothing")
    with pytest.raises(so.InvalidArgument, match="one for each"):
        so.evaluate(cartpole, by=[1, 2])


def test_findings_are_sentences_with_numbers(evaluation: so.Evaluation) -> None:
    finding = next(each for each in evaluation["wis"].findings if each.code == "low_ess")
    assert finding.parameters["episodes"] == 60 and "60 episodes" in finding.message and str(finding).startswith("critical: ")


def test_an_estimator_that_fails_leaves_the_others(file: Path) -> None:
    e = so.evaluate(file, estimators=["star(lookup=nowhere.csv)", "naive"])
    assert e.estimates[0].error and e.estimates[0].value is None and e.estimates[0].error_code == "file_error"
    assert e["naive"].error is None
    nothing = so.evaluate(file, estimators=["star(lookup=nowhere.csv)"])
    with pytest.raises(so.Error, match="no estimator could answer"):
        nothing.answer
    assert "nowhere.csv" in nothing._repr_html_()


def test_no_interval(file: Path) -> None:
    e = so.evaluate(file, estimators="naive", level=None)
    assert e.interval is None and e.std_error is not None
    wide, narrow = (known(so.evaluate(file, estimators="naive", level=level).interval) for level in (0.99, 0.5))
    assert wide.lower < narrow.lower and wide.level == 0.99


def test_a_frame(evaluation: so.Evaluation) -> None:
    frame = evaluation.to_frame()
    assert list(frame["estimator"]) == NAMES and list(frame["value"]) == [each.value for each in evaluation.estimates]


def test_pickles(evaluation: so.Evaluation) -> None:
    again = pickle.loads(pickle.dumps(evaluation))
    assert again == evaluation and str(again) == str(evaluation) and again._repr_html_() == evaluation._repr_html_()
    assert pickle.loads(pickle.dumps(evaluation.answer)) == evaluation.answer


def test_influence(cartpole: so.Dataset) -> None:
    e = so.evaluate(cartpole, estimators=["wpdis", "naive"], influence=True)
    values = e.influence("naive")
    returns = [cartpole.rewards[a:b].sum() for a, b in zip(cartpole.offsets[:-1], cartpole.offsets[1:])]
    assert values == pytest.approx([r - sum(returns) / len(returns) for r in returns], abs=1e-12)
    assert so.evaluate(cartpole, estimators="wpdis").influence() is None


class Checker(HTMLParser):
    """Tags that are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_notebook_shows_a_table_with_a_picture(evaluation: so.Evaluation) -> None:
    page = evaluation._repr_html_()
    checker = Checker()
    checker.feed(page)
    assert checker.open == [] and checker.seen.count("svg") == len(NAMES) + 1
    assert "<script" not in page
    assert "60 episodes" in page and "star(clusters=4,clip=2)" in page
    bundle = evaluation._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "application/vnd.vegalite.v5+json"}
    chart = bundle["application/vnd.vegalite.v5+json"]
    assert [each["value"] for each in chart["data"]["values"]] == [each.value for each in evaluation.estimates]
    json.dumps(bundle, allow_nan=False)


def test_the_picture_is_where_the_numbers_are(evaluation: so.Evaluation) -> None:
    page = evaluation._repr_html_()
    pictures = [ElementTree.fromstring(part.partition("</svg>")[0].join(["<svg", "</svg>"])) for part in page.split("<svg")[1:-1]]

    def place(picture: ElementTree.Element, mark: str, name: str) -> float:
        return float(known(known(picture.find(mark)).get(name)))

    places = [place(picture, "circle", "cx") for picture in pictures]
    values = [known(each.value) for each in evaluation.estimates]
    order = sorted(range(len(values)), key=values.__getitem__)
    assert sorted(range(len(places)), key=places.__getitem__) == order
    for picture in pictures:
        assert place(picture, "line", "x1") <= place(picture, "circle", "cx") <= place(picture, "line", "x2")


def test_names_from_files_are_only_text() -> None:
    data = so.simulate("cartpole", episodes=5)
    e = so.evaluate(data, estimators=["naive", "star(lookup=<script>.csv)"])
    assert "<script" not in e._repr_html_()


def test_a_report(evaluation: so.Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    try:
        evaluation.report(path)
    except so.FileError as error:
        assert "chart" in str(error)  # built without the chart runtime
        return
    assert "star(clusters=4,clip=2)" in path.read_text()


def test_inspect(file: Path) -> None:
    i = so.inspect(file, gamma=0.9)
    assert i.to_dict() == json.loads(program("inspect", file, "--gamma", 0.9, "--json"))
    assert i["episodes"] == 60 and "60 episodes" in str(i) and "<pre>" in i._repr_html_()
    assert pickle.loads(pickle.dumps(i)) == i
    assert str(i) == program("inspect", file, "--gamma", 0.9)


@pytest.mark.parametrize(("options", "error", "words"), [
    ({"gamma": 1.5}, ValueError, "1.5"), ({"gamma": "1"}, TypeError, "gamma"), ({"horizon": 0}, ValueError, "horizon"),
    ({"horizon": 2.5}, TypeError, "horizon"), ({"level": 2}, ValueError, "2"), ({"seed": -1}, ValueError, "seed"),
    ({"seed": 1.0}, TypeError, "seed"), ({"threads": 0}, ValueError, "threads"), ({"progress": 3}, TypeError, "progress"),
])
def test_wrong_questions(cartpole: so.Dataset, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        so.evaluate(cartpole, estimators="naive", **options)
    assert isinstance(raised.value, so.Error)


def test_the_command_comes_along(file: Path) -> None:
    import starope._command as command

    assert command.program().exists()
    printed = subprocess.run([sys.executable, "-m", "starope", "--version"], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == f"starope {so.__version__}"


def test_charts_stand_alone(evaluation: so.Evaluation, cartpole: so.Dataset) -> None:
    """JupyterLab prefers the table to the chart where it is given both."""
    comparison = so.compare(cartpole, targets={"new": None}, estimator="wis")
    for chart, names in ((evaluation.chart(), [each.estimator for each in evaluation.estimates]), (comparison.chart(), ["logged", "new"])):
        bundle = chart._repr_mimebundle_()
        assert set(bundle) == {"application/vnd.vegalite.v5+json", "text/plain"} and bundle["application/vnd.vegalite.v5+json"] == chart
        assert chart["$schema"].endswith("vega-lite/v5.json")
        field = chart["layer"][0]["encoding"]["y"]["field"]
        assert [each[field] for each in chart["data"]["values"]] == names
        assert all(each["lower"] <= each["value"] <= each["upper"] for each in chart["data"]["values"])
        json.dumps(bundle, allow_nan=False)
