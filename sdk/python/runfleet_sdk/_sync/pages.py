# Written by `npm run openapi` from the module of this name in _async. Do not edit.
# ruff: noqa
"""Lists, page after page."""

from __future__ import annotations

from collections.abc import Iterator, Callable
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")


class Pages(Generic[Item]):
    """A list. A loop over it reads page after page; `page()` is one page."""

    def __init__(self, read: Callable[[str | None], Any], after: str | None) -> None:
        self._read = read
        self._after = after

    def page(self, after: str | None = None) -> Page[Item]:
        """Returns one page. `after`: the `last_id` of the page before."""
        return Page(self._read(after or self._after))

    def __iter__(self) -> Iterator[Item]:
        after = self._after
        while True:
            page: Page[Item] = Page(self._read(after))
            for item in page.data:
                yield item
            if not page.has_more or page.last_id is None:
                return
            after = page.last_id


class Page(Generic[Item]):
    """One page of a list."""

    def __init__(self, answer: Any) -> None:
        self.data: list[Item] = answer["data"]
        self.has_more: bool = answer["has_more"]
        self.first_id: str | None = answer.get("first_id")
        last = answer["last_id"] if "last_id" in answer else answer["last_place"]
        self.last_id: str | None = None if last is None else str(last)
        """What the next page comes after. Of a list whose rows have a place, it is the last one's `place`."""
