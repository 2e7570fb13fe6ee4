"""Files that steps make: kept with the step's result, and written again where a later attempt comes to the step.

Loaded for steps that name files only.
"""

# An agent's values are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import binascii
import os
import zlib

from _runfleet.encode_json import encode, parse
from _runfleet.files import put_file
from _runfleet.journal import journal
from _runfleet.step_values import ResultTooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST_BYTES = 4 << 20  # Of one step's files, compressed and as text.
EXECUTABLE = 0o100


def check_paths(given: Any, what: str) -> list[str]:
    """Returns the paths that a step names, without slashes at their ends."""
    paths = [given] if isinstance(given, str) else list(given)
    for path in paths:
        parts = path.rstrip("/").split("/") if isinstance(path, str) else [""]
        if any(part in ("", ".", "..") for part in parts) or "\0" in path:
            raise ValueError(
                f"{what} names {path!r:.200} in `files`, which is no relative path inside of the run's directory."
            )
    return [path.rstrip("/") for path in paths]


def pack(paths: list[str], what: str) -> str:
    """Returns the files as text. Symbolic links are left out. Raises for a path that isn't there, and for too much."""
    found: dict[str, Any] = {}
    size = 0
    for path in paths:
        if not os.path.lexists(full(path)) and journal.rehearsal is None:
            raise FileNotFoundError(f"{what} names '{path}' in `files`, and has not made it.")
        for name in inside(path):
            with open(full(name), "rb") as file:
                data = file.read(16 * MOST_BYTES + 1 - size)
            size += len(data)
            refuse_size(size, 16 * MOST_BYTES, what)
            mode = os.stat(full(name)).st_mode
            found[name] = [binascii.b2a_base64(data, newline=False).decode(), int(bool(mode & EXECUTABLE))]
    text = binascii.b2a_base64(zlib.compress(encode(found), 1), newline=False).decode()
    refuse_size(len(text), MOST_BYTES, what)
    return text


def refuse_size(size: int, most: int, what: str) -> None:
    if size > most:
        raise ResultTooLarge(
            f"{what} has files of more than {most} bytes; compressed, they may have {MOST_BYTES}. "
            "Store them elsewhere, or as artifacts."
        )


def inside(path: str) -> Iterator[str]:
    """Gives the files that a path leads to."""
    if os.path.islink(full(path)):
        return
    if os.path.isfile(full(path)):
        yield path
    elif os.path.isdir(full(path)):
        for name in sorted(os.listdir(full(path))):
            yield from inside(f"{path}/{name}")


def unpack(text: str) -> None:
    """Writes the files. One that is there already is another one's: the code before the step has written it again."""
    files = parse(zlib.decompress(binascii.a2b_base64(text)).decode("utf-8", "surrogatepass"))
    for name, (data, is_executable) in files.items():
        os.makedirs(os.path.dirname(full(name)), exist_ok=True)
        if os.path.lexists(full(name)):
            os.unlink(full(name))
        put_file(full(name), binascii.a2b_base64(data))
        if is_executable:
            os.chmod(full(name), 0o755)


def full(path: str) -> str:
    """The code may have gone to another directory."""
    return os.path.join(journal.directory, path)
