"""Advice of the core is about its flags; in Python it is about arguments."""

from pathlib import Path

import pandas as pd
import pytest
from conftest import Columns

import starope as so
from starope._words import in_python


@pytest.mark.parametrize(("told", "said"), [
    ("Put the rows of each episode in order of time, or pass --sort", "Put the rows of each episode in order of time, or pass sort=True"),
    ("name the column of times with --t and pass --sort.", "name the column of times with t= and pass sort=True."),
    ("Pass --sort to collect the rows of each episode", "Pass sort=True to collect the rows of each episode"),
    ("Pass --state-kind continuous if the states are numbers", 'Pass state_kind="continuous" if the states are numbers'),
    ("Name the features with --state, pass --state-kind continuous", 'Name the features with state=, pass state_kind="continuous"'),
    ("Did you mean 'rewrad'? Then pass --reward rewrad", "Did you mean 'rewrad'? Then pass reward=\"rewrad\""),
    ("Write when the step happened, or pass an empty --t to ignore the column", 'Write when the step happened, or pass t="" to ignore the column'),
    ("an empty --behavior-probs and --target-probs", 'behavior_probs="" and target='),
    ("or have the missing ones estimated: evaluate --behavior fill", 'or have the missing ones estimated: behavior="fill"'),
    ("Give --horizon H, or horizon=H inside star(...)", "Give horizon=H, or horizon=H inside star(...)"),
    ("or shorten the question with --horizon.", "or shorten the question with horizon=."),
    ("With --horizon 12 or less no estimate depends on it.", "With horizon=12 or less no estimate depends on it."),
    ("take them as exact; evaluate with --interval bootstrap-percentile does not.", 'take them as exact; evaluate with interval="bootstrap-percentile" does not.'),
    ("the method of --interval has no interval for this estimator", "the method of interval= has no interval for this estimator"),
    ("name its column with --target-prob.", "name its column with target=."),
    ("Give a range that holds for every possible episode, or another --interval.", "Give a range that holds for every possible episode, or another interval=."),
    ("2 -- 3, a-b and --", "2 -- 3, a-b and --"),
])
def test_flags_are_arguments(told: str, said: str) -> None:
    assert in_python(told) == said


def test_errors_findings_and_advice_speak_of_arguments(small: Columns, tmp_path: Path) -> None:
    path = tmp_path / "logs.csv"
    path.write_text("episode,state,action,rewrad,behavior_prob,target_prob\n1,2,0,1,0.5,0.5\n")
    with pytest.raises(so.DataError) as raised:
        so.evaluate(path)
    assert 'reward="rewrad"' in str(raised.value) and "--" not in str(raised.value) + raised.value.remedy
    with pytest.raises(so.DataError) as raised:
        so.evaluate(pd.DataFrame(small).iloc[[0, 2, 1, 3, 4, 5]])
    assert "sort=True" in raised.value.remedy and "--" not in str(raised.value)
    e = so.evaluate(so.simulate("cartpole", episodes=300, seed=1), estimators="wpdis", behavior="estimate(method=global)")
    assert e.verdict is not None
    advice = [reason.advice for reason in e.verdict.reasons] + [finding.message for finding in e.findings]
    assert any("horizon=" in each for each in advice) and any('interval="bootstrap-percentile"' in each for each in advice)
    assert not any("--" in each for each in advice) and "--" not in e._repr_html_()
    # What the program prints stays as it is.
    assert "--horizon" in str(e) and "--horizon" in e.to_json()
