# A coroutine function whose value is the result.
import asyncio


async def run(input):
    await asyncio.sleep(0)
    return [input["a"]]
