"""What starope raises. Every message names what is wrong, the rule, and what to do."""

from __future__ import annotations


class Error(Exception):
    """Everything starope raises. `code` is stable and meant for programs."""

    code: str = "error"


class InvalidArgument(Error, ValueError):
    """A wrong call: an option, a name or a parameter that cannot be meant."""

    code = "invalid_argument"


class WrongType(InvalidArgument, TypeError):
    """An argument of a type that cannot be used."""

    code = "wrong_type"


class DataError(Error, ValueError):
    """Wrong data. The attributes say where; what is unknown is None."""

    code = "data_error"
    file: str | None = None
    row: int | None = None
    episode: str | None = None
    step: int | None = None
    column: str | None = None
    value: str | None = None
    rule: str = ""
    remedy: str = ""


class PolicyError(InvalidArgument):
    """A policy, an abstraction or a Q-function written in Python gave something impossible. `row` says for which step."""

    code = "bad_policy"
    row: int | None = None


class FileError(Error, OSError, ValueError):
    """A file that cannot be opened, read or written."""

    code = "file_error"


class DegenerateModel(Error, ValueError):
    """The fitted reward process has no value."""

    code = "degenerate_model"


class TooMuchWork(Error, ValueError):
    """Work that nobody can wait for, or that does not fit into memory."""

    code = "too_much_work"


class MissingPackage(Error, ImportError):
    """A package that is not needed for anything else is not installed."""

    code = "missing_package"


def optional(package: str, purpose: str, install: str | None = None):  # type: ignore[no-untyped-def]
    """An import of what only some need."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingPackage(f"{purpose} needs the package '{package}': pip install {install or package}") from error
