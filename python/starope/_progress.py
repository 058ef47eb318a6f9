"""Progress as users want it: a bar of tqdm, a function of their own, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._errors import WrongType

Tell = Callable[[int, int, str], Any]


@contextmanager
def shown_progress(progress: bool | Tell | None) -> Iterator[Tell | None]:
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        if not callable(progress):
            raise WrongType(f"progress={progress!r}: True, or a function (done, total, what), is needed")
        yield progress
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=1, leave=False) as bar:

        def tell(done: int, total: int, what: str) -> None:
            bar.total = total
            bar.n = max(done - 1, 0) if what else done
            bar.set_description(what)
            bar.refresh()

        yield tell
