"""Tables for whoever has pandas or polars."""

from __future__ import annotations

import importlib
from typing import Any

from ._errors import MissingPackage


def frame(columns: dict[str, Any]) -> Any:
    for package in ("pandas", "polars"):
        try:
            return importlib.import_module(package).DataFrame(columns)
        except ImportError:
            continue
    raise MissingPackage("to_frame needs pandas or polars: pip install pandas")
