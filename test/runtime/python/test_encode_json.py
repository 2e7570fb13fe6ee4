from __future__ import annotations

import enum
import json
import math
import random
from collections import UserDict
from datetime import date
from typing import TYPE_CHECKING, Any

from _runfleet.encode_json import encode, parse
from support import RuntimeTest

if TYPE_CHECKING:
    from collections.abc import Iterator


class Color(enum.Enum):
    RED = "red"


class Point:
    def __init__(self) -> None:
        self.x, self._hidden = 1, 2


class Model:
    def model_dump(self) -> dict[str, Any]:
        return {"field": Point()}


class Slots:
    __slots__ = ("x",)

    def __init__(self) -> None:
        self.x = 1


class Headers:
    """As those of HTTP clients: a mapping that hides what it has."""

    def __init__(self) -> None:
        self._store = {"a": "b"}

    def keys(self) -> list[str]:
        return list(self._store)

    def __getitem__(self, name: str) -> str:
        return self._store[name]


class Rows:
    def __iter__(self) -> Iterator[int]:
        return iter([1, 2])


class Secret:
    """As pydantic's secrets and addresses: nothing public but its text."""

    def __init__(self) -> None:
        self._secret_value = "hidden"

    def __str__(self) -> str:
        return "**"


class Nothing:
    pass


class Broken:
    def model_dump(self) -> None:
        raise ValueError("no")


class Encode(RuntimeTest):
    def test_values(self) -> None:
        """Values that JSON doesn't have are sent in the nearest form that it has."""
        cases: list[tuple[Any, Any]] = [
            (b"ab", {"$bytes": "YWI="}),
            (bytearray(b"ab"), {"$bytes": "YWI="}),
            ({1}, [1]),
            ((1, (2,)), [1, [2]]),
            (Color.RED, "red"),
            (Point(), {"x": 1}),
            (Model(), {"field": {"x": 1}}),
            (date(2026, 1, 2), "2026-01-02"),
            ([math.nan, math.inf, -math.inf, 1.5], [None, None, None, 1.5]),
            ({1: "a", None: "b"}, {"1": "a", "null": "b"}),
            ({(1, 2): "a"}, {"(1, 2)": "a"}),
            ([Broken()], ["<Broken: ValueError>"]),
            (Color, str(Color)),
            (Slots(), {"x": 1}),
            (Headers(), {"a": "b"}),
            (UserDict(a=1), {"a": 1}),
            (
                {"rows": Rows(), "secret": Secret(), "nothing": Nothing()},
                {"rows": [1, 2], "secret": "**", "nothing": {}},
            ),
            (
                {"made": (i for i in range(3)), "nan": math.nan, "map": map(str, [1])},
                {"made": [0, 1, 2], "nan": None, "map": ["1"]},
            ),
            (ValueError("text"), "text"),
            ("\ud83d", "\ufffd"),
            ("\u2028é\0", "\u2028é\0"),
        ]
        for value, expected in cases:
            with self.subTest(value=repr(value)):
                self.assertEqual(json.loads(encode(value)), expected)

    def test_cycles(self) -> None:
        """A value within itself becomes a note; the same value twice side by side is sent twice."""
        loop: list[Any] = [1]
        loop.append(loop)
        twin = {"a": 1}
        self.assertEqual(json.loads(encode(loop)), [1, "<circular>"])
        self.assertEqual(json.loads(encode([twin, twin])), [twin, twin])

    def test_depth(self) -> None:
        """A value that is nested deeper than Python can recurse is cut, and doesn't raise."""
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        self.assertIn(b"<too deep>", encode(deep))
        while deep:
            deep = deep.pop()

    def test_long_integers(self) -> None:
        """An integer with more digits than Python prints becomes hexadecimal text, and doesn't raise."""
        huge = 1 << 50_000
        self.assertIn(json.loads(encode([math.nan, huge]))[1], (hex(huge), huge))

    def test_as_json_does(self) -> None:
        """What JSON has is encoded and parsed as Python's own json does."""
        pick = random.Random(20)

        def make(depth: int) -> Any:
            kind = pick.randrange(8 if depth < 4 else 6)
            if kind < 6:
                return [
                    None,
                    True,
                    pick.randrange(-(10**20), 10**20),
                    pick.uniform(-1e9, 1e9),
                    'aé\n"\\\U0001f600',
                    "",
                ][kind]
            names = [f"k{n}" for n in range(pick.randrange(4))]
            return {name: make(depth + 1) for name in names} if kind == 6 else [make(depth + 1) for _ in names]

        for _ in range(500):
            value = make(0)
            text = encode(value).decode()
            self.assertEqual(json.loads(text), value)
            self.assertEqual(parse(json.dumps(value)), value)
            self.assertNotIn("\n", text)
