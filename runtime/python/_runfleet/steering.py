"""Steering: what is said to a run reaches its model at the next turn. Loaded for code that asks for it."""

# Frameworks' objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import hashlib

from _runfleet.branches import current, lock
from _runfleet.encode_json import encode
from _runfleet.waits import new_messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Steering:
    """Gives a framework's model what was said to the run. Its methods are named for the options that take them."""

    def __init__(self) -> None:
        branch = current.get()
        with lock:
            count = branch.uses[""] = branch.uses.get("", 0) + 1 if branch else 0
        path = f"{branch.path if branch else ''}/{count}"
        self.place = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.looks = 0
        self.said: list[tuple[int, Any]] = []  # With how many items the conversation had before.

    def look(self) -> Any:
        """A place of its own for each look: frameworks call from tasks and threads of theirs."""
        self.looks += 1
        return new_messages(key=f"{self.place}.{self.looks}")

    def pre_model_hook(self, state: Any, *_: Any) -> dict[str, Any]:
        """For LangGraph's agents, which keep what a hook adds to their messages."""
        return {"messages": [as_chat(payload) for payload in self.look()]}

    async def call_model_input_filter(self, data: Any) -> Any:
        """For the OpenAI Agents SDK, which doesn't keep what a filter adds: each turn is given it again."""
        items = list(data.model_data.input)
        self.said += [(len(items), as_chat(payload)) for payload in await self.look()]
        for offset, (position, message) in enumerate(self.said):
            items.insert(position + offset, message)
        return type(data.model_data)(input=items, instructions=data.model_data.instructions)


def as_chat(payload: Any) -> Any:
    """Returns a message as chat models take it: one with a role as it is, anything else as a user's words."""
    if isinstance(payload, dict) and "role" in payload:
        return payload
    return {"role": "user", "content": payload if isinstance(payload, str) else encode(payload).decode()}
