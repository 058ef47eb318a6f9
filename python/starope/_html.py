"""Answers for notebooks: a table with a picture of the intervals that needs no script, and a chart for JupyterLab."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._answers import Estimate
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
        interval = f"{number(each.interval.lower, each.std_error)} to {number(each.interval.upper, each.std_error)}"
    picture = f"<svg width='{_WIDTH}' height='{_ROW}' viewBox='0 0 {_WIDTH} {_ROW}' role='img'>{marks}</svg>"
    weight = "font-weight:bold;" if answers else ""
    cells = (number(each.value, each.std_error), number(each.std_error, each.std_error), interval,
             "" if each.ess is None else f"{each.ess:,.4g}")
    columns = "".join(f"<td style='text-align:right;{weight}'>{escape(cell)}</td>" for cell in cells)
    return f"<tr><td style='text-align:left;{weight}'>{named}</td>{columns}<td style='padding:0'>{picture}</td></tr>"


def _headline(evaluation: Evaluation) -> str:
    parts = []
    if verdict := evaluation.verdict:
        color = _GRADES.get(verdict.grade, "#57606a")
        parts.append(f"<b style='color:{color}'>{escape(verdict.grade.replace('_', ' '))}</b>")
        parts += [escape(f"{each.reason} {each.advice}".strip()) for each in verdict.reasons]
    if difference := evaluation.difference:
        text = f"{difference.value:+.4g} against the logged policy ({difference.logged:.4g})"
        if difference.probability_better is not None:
            text += f"; better with probability {difference.probability_better:.3g}"
        parts.append(escape(text))
    return "<br>".join(parts)


def evaluation_html(evaluation: Evaluation) -> str:
    estimates = evaluation.estimates
    answered = [each for each in estimates if each.error is None]
    answer = evaluation.answer.estimator if answered else None
    scale = _Scale(answered)
    data = evaluation.data
    table = _table(data, "estimator", answered, scale, "".join(_row(each, scale, each.estimator == answer) for each in estimates))
    notes = "".join(f"<li><b>{escape(each.severity)}</b>: {escape(each.message)}</li>" for each in evaluation.findings)
    headline = _headline(evaluation)
    return (f"<div class='starope'>{'<p>' + headline + '</p>' if headline else ''}{table}"
            f"{'<ul>' + notes + '</ul>' if notes else ''}</div>")


def _table(data: dict[str, Any], first: str, answered: list[Estimate], scale: _Scale, body: str) -> str:
    level = next((f"{100 * each.interval.level:g} % interval" for each in answered if each.interval), "interval")
    head = "".join(f"<th style='text-align:{'left' if name == first else 'right'}'>{escape(name)}</th>"
                   for name in (first, "value", "error", level, "episodes"))
    low, high = (f"{scale.low:.4g}", f"{scale.high:.4g}") if answered else ("", "")
    axis = (f"<tr><td colspan='5'></td><td style='padding:0'><svg width='{_WIDTH}' height='14'><text x='0' y='11' font-size='10'>{low}</text>"
            f"<text x='{_WIDTH}' y='11' font-size='10' text-anchor='end'>{high}</text></svg></td></tr>")
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
                text += f" ({number(each.interval.lower, each.std_error)} to {number(each.interval.upper, each.std_error)})"
            notes.append(text + (", told apart" if each.told_apart else ""))
    notes += [f"{each.policy} is {each.verdict.grade.replace('_', ' ')}: {each.verdict.reasons[0].reason}" for each in policies
              if each.verdict and not each.verdict.supported and each.verdict.reasons]
    return f"<div class='starope'>{_table(comparison.data, 'policy', answered, scale, rows)}<ul>{''.join(f'<li>{escape(each)}</li>' for each in notes)}</ul></div>"


def evaluation_chart(evaluation: Evaluation) -> dict[str, Any]:
    """Vega-Lite 5: what JupyterLab shows."""
    values = [{"estimator": each.estimator, "value": each.value, "lower": each.interval.lower if each.interval else None,
               "upper": each.interval.upper if each.interval else None} for each in evaluation.estimates if each.error is None]
    y = {"field": "estimator", "type": "nominal", "sort": None, "title": None}
    return {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "data": {"values": values}, "width": 420,
            "layer": [{"mark": "rule", "encoding": {"y": y, "x": {"field": "lower", "type": "quantitative", "title": "value",
                                                                    "scale": {"zero": False}}, "x2": {"field": "upper"}}},
                      {"mark": {"type": "point", "filled": True, "size": 60},
                       "encoding": {"y": y, "x": {"field": "value", "type": "quantitative"},
                                    "tooltip": [{"field": name} for name in ("estimator", "value", "lower", "upper")]}}]}
