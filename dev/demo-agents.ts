/** Looks something up with two tools at once, and fails at its first attempt, so that the console has a retry to show. */
export const researcher = `import asyncio

TEXT = """A stream of events can be resumed anywhere, because each event carries an id that the reader sends back.

1. The server keeps what it has sent for as long as a reader may come back.
2. Ids have an order, and a gap in them is told.
3. What an attempt said that failed is void, and the reader is told that, too."""


async def main(question: str, context):
    context.progress(0.1, "Searching")
    with context.tool("search", {"q": question}) as found:
        await asyncio.sleep(0.4)
        found.result = {"hits": 2}
    await asyncio.gather(read(context, "spec", 0.5), read(context, "notes", 0.9))
    if context.attempt == 1:
        yield "A first draft of "
        raise ConnectionError("The index went away")
    context.progress(0.6, "Writing")
    for word in TEXT.split(" "):
        yield word + " "
        await asyncio.sleep(0.02)
    context.artifact("answer.md", TEXT)
    context.usage(input_tokens=3120, output_tokens=412, cost_usd=0.0041)


async def read(context, page, seconds):
    with context.tool("read_page", {"page": page}) as call:
        await asyncio.sleep(seconds)
        call.result = f"{page}: 4 kB"
`;

/** Counts for a while, so that the console has a live run to show. */
export const counter = `import time


def main(seconds: int, context):
    for second in range(seconds):
        yield f"{second} "
        context.progress(second / seconds, f"second {second}")
        time.sleep(1)
    return {"counted": seconds}
`;

/** Fails on files that it doesn't know, so that the console has an error to show. */
export const invoiceReader = `def main(file: str):
    if not file.endswith(".pdf"):
        raise ValueError(f"{file} is no PDF")
    return {"file": file, "total": 42.0}
`;
