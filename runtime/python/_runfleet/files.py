"""Writes the files of an agent and of a run into the working directory."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SHARED_MEMORY = "/dev/shm"  # Beside its directory, what a run can write to.


def write_files(files: dict[str, str]) -> None:
    """`files`: text, or bytes as a data: URL, by relative path. Raises for a path that leads out of the directory."""
    for name, content in files.items():
        parts = name.split("/")
        if any(part in ("", ".", "..") for part in parts) or "\0" in name:
            raise ValueError(f"'{name}' is no relative path inside of the run's directory.")
        if len(parts) > 1:
            os.makedirs(os.path.dirname(name), exist_ok=True)
        put_file(name, decode_content(content))


def put_file(name: str, data: bytes) -> None:
    """Writes a file without `open`, which touches ten times the memory. A fork copies each page that it touches."""
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    while data:
        data = data[os.write(fd, data) :]
    os.close(fd)


def decode_content(content: str) -> bytes:
    head, comma, body = content.partition(",") if content.startswith("data:") else ("", "", "")
    if not comma or any(character.isspace() for character in head):
        return content.encode("utf-8", "replace")
    if head.endswith(";base64"):
        import binascii

        return binascii.a2b_base64(body)
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(body)


def directories_of(names: Iterable[str]) -> list[str]:
    """Returns the directories that files are in, the deepest first."""
    return sorted({directory for name in names for directory in parents(name)}, key=len, reverse=True)


def parents(name: str) -> list[str]:
    """Returns `a` and `a/b` for `a/b/c`."""
    return [name[:end] for end, character in enumerate(name) if character == "/"]
