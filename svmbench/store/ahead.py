"""Reading ahead: threads read the files of the next items while the last ones are used."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")

#: Threads. More would wait for the one that uses what they read.
_READERS = 2


def read_ahead(
    read: Callable[[list[Item]], Sequence[Found]], items: Iterable[Item], batch: int
) -> Iterator[tuple[Item, Found]]:
    """Yield items with what is read for them.

    Parameters
    ----------
    read : callable
        Reads for some items at once; most of it without the interpreter's lock.
    items : iterable
        Taken by the calling thread.
    batch : int
        Most items to read for at once.
    """
    left = iter(items)
    with ThreadPoolExecutor(_READERS) as readers:
        waiting: deque[tuple[list[Item], Future[Sequence[Found]]]] = deque()
        while True:
            some = list(itertools.islice(left, batch))
            if some:
                waiting.append((some, readers.submit(read, some)))
            if waiting and (len(waiting) > _READERS or not some):
                done, found = waiting.popleft()
                yield from zip(done, found.result(), strict=True)
            elif not some:
                return
