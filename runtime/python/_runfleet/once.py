"""Executes one run in a process of its own. Its request is all that follows on the descriptor, as JSON."""

from __future__ import annotations

from _runfleet import encode_json
from _runfleet.runner import become_runner, run_to_exit


def main(fd: int) -> None:
    with open(fd, "rb", closefd=False) as file:
        request = encode_json.parse(file.read().decode("utf-8", "surrogatepass"))
    become_runner(request.pop("site_path"), request.pop("packages"))
    run_to_exit(request)
