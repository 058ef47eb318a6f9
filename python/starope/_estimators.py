"""Estimators as small objects, made from the core's registry: Star(clusters=32, clip=2) is "star(clusters=32,clip=2)"."""

from __future__ import annotations

import difflib
import re
from typing import Any

import numpy as np

from . import _core
from ._errors import InvalidArgument, WrongType

_REGISTRY: dict[str, dict[str, Any]] = {each["name"]: each for each in _core.registry()}
_CLASS_NAMES = {"is": "IS", "wis": "WIS", "pdis": "PDIS", "wpdis": "WPDIS", "mb": "MB", "fqe": "FQE", "qreg": "QReg", "mrdr": "MRDR",
                "dr": "DR", "wdr": "WDR", "mis": "MIS"}


def class_name(estimator: str) -> str:
    return _CLASS_NAMES.get(estimator) or "".join(part.capitalize() for part in re.split(r"[-_]", estimator))


class Estimator:
    """What to estimate with. The text of an estimator, as the command line takes it, is its repr."""

    name: str = ""
    _options: dict[str, Any]
    _plug: tuple[str, Any] | None  # an abstraction or a Q-function that Python computes

    def __init__(self, **options: Any) -> None:
        known = [option["name"] for option in _REGISTRY[self.name]["options"]]
        plugs = {"star": "labels", "dr": "q", "wdr": "q", "magic": "q"}
        for given in options:
            if given not in known and given != plugs.get(self.name):
                near = difflib.get_close_matches(given, known, 1)
                raise WrongType(f"{type(self).__name__} has no option '{given}'" + (f". Did you mean '{near[0]}'?" if near else "")
                                + f" It has: {', '.join(known) or 'none'}")
        self._plug = None
        plug = plugs.get(self.name)
        given_plug = None if plug is None or isinstance(options.get(plug), str) else options.get(plug)
        if plug is not None and given_plug is not None:
            if not callable(given_plug) and np.ndim(given_plug) == 0:
                raise WrongType(f"{type(self).__name__}: {plug}={given_plug!r}: a function of the states, or an array with a row for each state, is needed")
            self._plug = plug, options.pop(plug) if callable(given_plug) else np.asarray(options.pop(plug))
        elif plug == "labels" and plug in options:
            raise WrongType(f"{type(self).__name__}: labels={options[plug]!r}: a function of the states, or an array with a label for each state, is needed")
        if self._plug and plug == "labels":
            for other in ("clusters", "phi", "centroids", "lookup"):
                if other in options:
                    raise InvalidArgument(f"Star: labels and {other} are two abstractions; give one")
        self._options = {name: options[name] for name in known if options.get(name, _NOTHING) is not _NOTHING}
        _core.check_estimator(self._text(plain=True))

    def _text(self, plain: bool = False) -> str:
        parts = []
        if self._plug and self._plug[0] == "labels":
            parts.append("phi=identity" if plain else f"labels={_name_of(self._plug[1])}")
        if self._plug and self._plug[0] == "q" and not plain:
            parts.append(f"q={_name_of(self._plug[1])}")
        parts += [f"{name}={_written(value)}" for name, value in self._options.items()]
        return f"{self.name}({','.join(parts)})" if parts else self.name

    def __repr__(self) -> str:
        return self._text()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Estimator) and repr(self) == repr(other) and _same(self._plug, other._plug)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        options = dict(self._options)
        if self._plug:
            options[self._plug[0]] = self._plug[1]
        return _made, (self.name, options)


_NOTHING = object()


def _same(a: tuple[str, Any] | None, b: tuple[str, Any] | None) -> bool:
    if a is None or b is None or not (isinstance(a[1], np.ndarray) and isinstance(b[1], np.ndarray)):
        return a == b
    return a[0] == b[0] and np.array_equal(a[1], b[1])


def _made(name: str, options: dict[str, Any]) -> Estimator:
    return _CLASSES[name](**options)


def _name_of(plug: Any) -> str:
    name = getattr(plug, "__name__", None) or type(plug).__name__
    return re.sub(r"[^\w.-]", "", str(name)) or "given"


def _written(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        return "-".join(_written(each) for each in value)
    if isinstance(value, (float, np.floating)):
        return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    return str(value)


def _class_of(spec: dict[str, Any]) -> type[Estimator]:
    options = "\n".join(f"    {each['name']}={each['values']}: {each['help']}" + (f" (default {each['usual']})" if each["usual"] else "")
                        for each in spec["options"])
    name = class_name(spec["name"])
    text = f"{spec['summary'][0].upper()}{spec['summary'][1:]}.\n\n{options}" if options else spec["summary"]
    return type(name, (Estimator,), {"name": spec["name"], "__doc__": text, "__module__": "starope"})


_CLASSES: dict[str, type[Estimator]] = {name: _class_of(spec) for name, spec in _REGISTRY.items()}
globals().update({made.__name__: made for made in _CLASSES.values()})


def estimator(text: str | Estimator) -> Estimator:
    """The object of a text such as "star(clusters=32,clip=2)"."""
    if isinstance(text, Estimator):
        return text
    if not isinstance(text, str):
        raise WrongType(f"an estimator is a text such as 'auto' or an object such as starope.Auto(), not {type(text).__name__}")
    found = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    _core.check_estimator(text)
    assert found is not None
    options: dict[str, Any] = {}
    for part in (found[2] or "").split(","):
        if part.strip():
            key, _, value = part.partition("=")
            options[key.strip()] = value.strip()
    return _CLASSES[found[1]](**options)


def split(estimators: Any) -> list[str | Estimator] | None:
    """What `estimators=` was given, one by one; none: what is usual for the logs."""
    if estimators is None:
        return None
    if isinstance(estimators, (str, Estimator)):
        estimators = [estimators]
    try:
        each = list(estimators)
    except TypeError:
        raise WrongType(f"estimators: a list of texts or objects is needed, not {type(estimators).__name__}") from None
    for one in each:
        if not isinstance(one, (str, Estimator)):
            raise WrongType(f"estimators: {one!r} is neither a text such as 'auto' nor an object such as starope.Auto()")
    if not each:
        raise InvalidArgument("estimators: is empty. Name at least one, or leave it out")
    return each


__all__ = ["Estimator", "estimator", *(made.__name__ for made in _CLASSES.values())]
