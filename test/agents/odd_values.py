# Returns and yields what JSON hasn't.
import dataclasses
import datetime
import enum


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Colour(enum.Enum):
    RED = "red"


class Failing:
    def model_dump(self):
        raise ValueError("no")


def main(input):
    yield b"\x00\xff"
    yield float("nan")
    yield "half \ud83d pair"
    yield {1, 1}
    yield Point(1, 2)
    yield {("a", 1): datetime.date(2026, 1, 2)}
    yield Failing()
    yield 10**5000
    loop = []
    loop.append(loop)
    yield loop
    yield {"colour": Colour.RED}
    return object
