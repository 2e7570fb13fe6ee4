"""`read_run.py URL AGENT RUN_ID sync|async`: runs an agent by the SDK, and prints what was read of the run as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from runfleet_sdk import AsyncRunfleet, Runfleet


def read(url: str, agent: str, run_id: str) -> list[Any]:
    """Returns the events of a run."""
    with Runfleet(url) as client:
        return list(client.run(agent, run_id=run_id))


async def read_async(url: str, agent: str, run_id: str) -> list[Any]:
    """The same in asyncio's world."""
    async with AsyncRunfleet(url) as client:
        return [event async for event in client.run(agent, run_id=run_id)]


url, agent, run_id, world = sys.argv[1:]
events = asyncio.run(read_async(url, agent, run_id)) if world == "async" else read(url, agent, run_id)
ids = [f"{event['attempt']}-{event['seq']}" for event in events]
print(
    json.dumps({"ids": ids, "text": "".join(event["content"] for event in events if event["type"] == "output.delta")})
)
