# An async generator that awaits between its yields.
import asyncio


async def main(input):
    for number in range(3):
        await asyncio.sleep(0)
        yield number
