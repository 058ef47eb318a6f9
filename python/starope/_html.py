"""Answers for notebooks: a table with a picture of the intervals that needs no script, and a chart for JupyterLab."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from ._words import in_python

if TYPE_CHECKING:
    from ._answers import Estimate, Interval, RiskNumber
    from ._results import Comparison, Evaluation

_WIDTH, _ROW = 260, 22
_GRADES = {"supported": "#1a7f37", "doubtful": "#9a6700", "not_answerable": "#cf222e"}


def number(value: float | None, like: float | None = None) -> str:
    """With as many digits as its error deserves."""
    if value is None:
        return ""
    if not like or not math.isfinite(like):
        return f"{value:.4g}"
    digits = max(0, 1 - math.floor(math.log10(like)))
    return f"{value:.{min(digits, 12)}f}"


class _Scale:
    def __init__(self, estimates: list[Estimate]) -> None:
        values = [each.value for each in estimates if each.value is not None]
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        # Intervals count as far as they are not many times as wide as the estimates are apart.
        spread = max(high - low, 1e-9 * max(abs(high), abs(low), 1.0))
        errors = sorted(each.std_error for each in estimates if each.std_error)
        reach = max(spread, 6 * errors[len(errors) // 2] if errors else 0.0)
        for each in estimates:
            if each.interval:
                low = min(low, max(each.interval.lower, low - reach))
                high = max(high, min(each.interval.upper, high + reach))
        margin = 0.05 * max(high - low, 1e-9)
        self.low, self.high = low - margin, high + margin

    def __call__(self, value: float) -> float:
        at = (value - self.low) / (self.high - self.low) * _WIDTH
        return round(min(max(at, 0.0), float(_WIDTH)), 2)


def _row(each: Estimate, scale: _Scale, answers: bool, name: str | None = None) -> str:
    named = escape(each.estimator if name is None else name)
    if each.error is not None or each.value is None:
        return f"<tr><td style='text-align:left'>{named}</td><td colspan='5' style='text-align:left'>{escape(each.error or '')}</td></tr>"
    ink = "#0969da" if answers else "#57606a"
    middle = _ROW / 2
    marks = f"<circle cx='{scale(each.value)}' cy='{middle}' r='4' fill='{ink}'/>"
    interval = ""
    if each.interval:
        marks = (f"<line x1='{scale(each.interval.lower)}' x2='{scale(each.interval.upper)}' y1='{middle}' y2='{middle}' "
                 f"stroke='{ink}' stroke-width='2'/>{marks}")
        interval = _range(each.interval, each.std_error)
    picture = f"<svg width='{_WIDTH}' height='{_ROW}' viewBox='0 0 {_WIDTH} {_ROW}' role='img'>{marks}</svg>"
    weight = "font-weight:bold;" if answers else ""
    cells = (number(each.value, each.std_error), number(each.std_error, each.std_error), interval,
             "" if each.ess is None else f"{each.ess:,.{0 if each.ess >= 100 else 1}f}")
    columns = "".join(f"<td style='text-align:right;{weight}'>{escape(cell)}</td>" for cell in cells)
    return f"<tr><td style='text-align:left;{weight}'>{named}</td>{columns}<td style='padding:0'>{picture}</td></tr>"


def _headline(evaluation: Evaluation) -> str:
    """What the program says before its table, with the grade in its color."""
    said = in_python(evaluation._core.text(100_000, False)).partition("\n\n")[0]
    lines = [escape(line) for line in said.splitlines()]
    if verdict := evaluation.verdict:
        word = verdict.grade.replace("_", " ").capitalize()
        mark = f"<b style='color:{_GRADES.get(verdict.grade, '#57606a')}'>{escape(word)}</b>"
        lines = [mark + line.removeprefix(word) if line.startswith(word) else line for line in lines]
    return "<br>".join(lines)


def _plain_table(title: str, names: list[str], rows: list[list[str]]) -> str:
    def cells(kind: str, texts: list[str]) -> str:
        return "".join(f"<{kind} style='text-align:{'right' if i else 'left'}'>{escape(text)}</{kind}>" for i, text in enumerate(texts))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (f"<table><caption style='text-align:left'>{escape(title)}</caption><thead><tr>{cells('th', names)}</tr></thead>"
            f"<tbody>{body}</tbody></table>") if rows else ""


def _range(interval: Interval | None, like: float | None = None) -> str:
    return f"{number(interval.lower, like)} to {number(interval.upper, like)}" if interval else ""


def _groups(evaluation: Evaluation) -> str:
    rows = [[each.group, f"{each.episodes:,}", number(each.value, each.std_error),
             "too few" if each.too_few else _range(each.interval, each.std_error),
             number(each.difference.value, each.difference.std_error) if each.difference else ""] for each in evaluation.groups]
    return _plain_table("For whom; intervals hold for all groups at once", ["group", "episodes", "value", "interval", "more than logged"], rows)


def _risks(evaluation: Evaluation) -> str:
    """One column per number that was asked for, one row per method."""
    found = evaluation.distributions
    asked = [(f"{what} {each.at:g}", part, i) for part, what in (("quantiles", "quantile"), ("cvar", "mean of the worst"), ("below", "below"))
             for i, each in enumerate(getattr(found[0], part))] if found else []

    def cell(number_of: RiskNumber) -> str:
        return number(number_of.value) + (f" ({_range(number_of.interval)})" if number_of.interval else "")

    rows = [[f"{each.method} (believe this)" if each.believed else each.method, *(cell(getattr(each, part)[i]) for _, part, i in asked)] for each in found]
    notes = "".join(f"<li><b>{escape(each.method)}</b>: {escape(finding.message)}</li>" for each in found for finding in each.findings)
    return _plain_table("Returns of single episodes", ["method", *(name for name, _, _ in asked)], rows) + (f"<ul>{notes}</ul>" if notes else "")


def _behavior(evaluation: Evaluation) -> str:
    fit = evaluation.behavior
    if fit is None:
        return ""
    rows = [[each.method, each.setting, number(each.log_likelihood), number(each.value)] for each in fit.methods]
    return _plain_table(f"The behavior policy, estimated by {fit.method}", ["method", "setting", "log-likelihood", f"{fit.estimator or ''} with it"], rows)


def evaluation_html(evaluation: Evaluation) -> str:
    estimates = evaluation.estimates
    answered = [each for each in estimates if each.error is None]
    answer = evaluation.answer.estimator if answered else None
    scale = _Scale(answered)
    table = _table(evaluation.data, "estimator", answered, scale, "".join(_row(each, scale, each.estimator == answer) for each in estimates))
    notes = "".join(f"<li><b>{escape(each.severity)}</b>: {escape(each.message)}</li>" for each in evaluation.findings)
    return (f"<div class='starope'><p>{_headline(evaluation)}</p>{table}{'<ul>' + notes + '</ul>' if notes else ''}"
            f"{_groups(evaluation)}{_behavior(evaluation)}{_risks(evaluation)}</div>")


def _table(data: dict[str, Any], first: str, answered: list[Estimate], scale: _Scale, body: str) -> str:
    level = next((f"{100 * each.interval.level:g} % interval" for each in answered if each.interval), "interval")
    head = "".join(f"<th style='text-align:{'left' if name == first else 'right'}'>{escape(name)}</th>"
                   for name in (first, "value", "error", level, "effective episodes"))
    low, high = (f"{scale.low:.4g}", f"{scale.high:.4g}") if answered else ("", "")
    axis = (f"<tr><td colspan='5'></td><td style='padding:0'><svg width='{_WIDTH}' height='14'><text x='0' y='11' font-size='10' fill='currentColor'>{low}</text>"
            f"<text x='{_WIDTH}' y='11' font-size='10' text-anchor='end' fill='currentColor'>{high}</text></svg></td></tr>")
    about = f"{data['episodes']:,} episodes, {data['steps']:,} steps, discount {data['gamma']:g}"
    return (f"<table><caption style='text-align:left'>{escape(about)}</caption><thead><tr>{head}<th></th></tr></thead>"
            f"<tbody>{body}{axis}</tbody></table>")


def comparison_html(comparison: Comparison) -> str:
    """The best first; then which are not told apart, and every difference from the logged policy."""
    ranks = {name: place for place, name in enumerate(comparison.ranking)}
    policies = sorted(comparison.policies, key=lambda each: ranks.get(each.policy, len(ranks)))
    answered = [each.estimate for each in policies if each.estimate.error is None]
    scale = _Scale(answered)
    best = next(iter(comparison.ranking), None)
    rows = "".join(_row(each.estimate, scale, each.policy == best, each.policy) for each in policies)
    notes = [f"not told apart: {', '.join(group)}" for group in comparison.not_told_apart]
    for each in comparison.differences:
        if each.value is not None:
            text = f"{each.first} minus {each.second}: {number(each.value, each.std_error)}"
            if each.interval:
                text += f" ({_range(each.interval, each.std_error)})"
            notes.append(text + (", told apart" if each.told_apart else ""))
    notes += [f"{each.policy} is {each.verdict.grade.replace('_', ' ')}: {each.verdict.reasons[0].reason}" for each in policies
              if each.verdict and not each.verdict.supported and each.verdict.reasons]
    return f"<div class='starope'>{_table(comparison.data, 'policy', answered, scale, rows)}<ul>{''.join(f'<li>{escape(each)}</li>' for each in notes)}</ul></div>"


class Chart(dict[str, Any]):
    """A chart of Vega-Lite 5. JupyterLab draws it, and altair.Chart.from_dict(chart) takes it."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"application/vnd.vegalite.v5+json": dict(self), "text/plain": f"<{type(self).__name__} of Vega-Lite 5>"}


def evaluation_chart(evaluation: Evaluation) -> Chart:
    return _chart("estimator", [(each.estimator, each) for each in evaluation.estimates])


def comparison_chart(comparison: Comparison) -> Chart:
    return _chart("policy", [(each.policy, each.estimate) for each in comparison.policies])


def _chart(what: str, estimates: list[tuple[str, Estimate]]) -> Chart:
    """Values with their intervals, one below the other."""
    values = [{what: name, "value": each.value, "lower": each.interval.lower if each.interval else None,
               "upper": each.interval.upper if each.interval else None} for name, each in estimates if each.error is None]
    y = {"field": what, "type": "nominal", "sort": None, "title": None}
    made = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "data": {"values": values}, "width": 420,
            "layer": [{"mark": "rule", "encoding": {"y": y, "x": {"field": "lower", "type": "quantitative", "title": "value",
                                                                    "scale": {"zero": False}}, "x2": {"field": "upper"}}},
                      {"mark": {"type": "point", "filled": True, "size": 60},
                       "encoding": {"y": y, "x": {"field": "value", "type": "quantitative"},
                                    "tooltip": [{"field": name} for name in (what, "value", "lower", "upper")]}}]}
    return Chart(made)
