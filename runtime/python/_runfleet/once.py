"""Executes one run in a process of its own. Its request is a line on the descriptor; the worker's answers follow."""

from __future__ import annotations

import os

from _runfleet import encode_json
from _runfleet.runner import become_runner, replies, run_to_exit


def main(fd: int) -> None:
    line = read_line(fd)
    replies.fd = os.dup(fd)
    os.dup2(os.open(os.devnull, os.O_RDONLY), fd)  # The agent must not read the answers.
    request = encode_json.parse(line.decode("utf-8", "surrogatepass"))
    become_runner(request.pop("venv"), request.pop("packages"))
    run_to_exit(request)


def read_line(fd: int) -> bytes:
    """Reads up to the first newline. The worker sends nothing behind it before the run has begun."""
    data = bytearray()
    while not data.endswith(b"\n"):
        part = os.read(fd, 1 << 20)
        if not part:
            os._exit(0)  # The worker let this process go.
        data += part
    return bytes(data)
