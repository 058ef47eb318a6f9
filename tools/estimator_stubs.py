"""Writes python/starope/_estimators.pyi: the estimators of the registry for type checkers and editors.

    PYTHONPATH=build/python python tools/estimator_stubs.py > python/starope/_estimators.pyi
"""

import keyword

from starope import _core, _estimators

HEAD = '''# Written by tools/estimator_stubs.py from the registry: do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

class Estimator:
    name: str
    _plug: tuple[str, Any] | None
    def _text(self, plain: bool = ...) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

def class_name(estimator: str) -> str: ...
def estimator(text: str | Estimator) -> Estimator: ...
def split(estimators: Any) -> list[str | Estimator] | None: ...
'''
TYPES = {"whole": "int | str", "number": "float | str", "choice": "str", "file": "str", "list": "Sequence[int] | str", "text": "str"}


def annotation(estimator: str, option: dict) -> str:
    kind = TYPES[option["type"]]
    if "none" in option["words"]:
        kind += " | None"
    if option["name"] == "q" and estimator in ("dr", "wdr", "magic"):
        kind += " | Callable[[NDArray[Any]], Any] | NDArray[Any] | Sequence[Sequence[float]]"
    return kind


def main() -> None:
    lines = [HEAD]
    for spec in _core.registry():
        given = [f"{option['name']}: {annotation(spec['name'], option)} = ..." for option in spec["options"]
                 if not keyword.iskeyword(option["name"])]
        if spec["name"] == "star":
            given.append("labels: Callable[[NDArray[Any]], Any] | NDArray[Any] | Sequence[float] = ...")
        signature = ", ".join(["self", "*", *given]) if given else "self"
        lines.append(f"class {_estimators.class_name(spec['name'])}(Estimator):\n    def __init__({signature}) -> None: ...\n")
    print("\n".join([*lines, f"__all__ = {_estimators.__all__!r}"]))


if __name__ == "__main__":
    main()
