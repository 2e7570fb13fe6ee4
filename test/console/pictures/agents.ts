/** Asks two tools at once, fails at its first attempt, and writes slowly. */
export const researcher = `import asyncio

ANSWER = """A stream survives its readers, its server and its worker, because every event has an id that says where it stands.

1. The id is the attempt and a number without gaps, so a reader can tell that something is missing.
2. A reader who comes back names the last id that it has seen. The server first sends what is stored, then what is live.
3. When a worker dies, the next attempt says which output is void. Steps that had ended are not done again.

So no text is lost, shown twice or left open"""


async def main(question: str, depth: str = "short", sources: int = 3, cite: bool = True, context=None):
    context.progress(0.1, "Searching")
    await asyncio.gather(read(context, "search", {"q": question[:40]}, 0.9), read(context, "read_page", {"page": "docs/guarantees"}, 0.6))
    if context.attempt == 1:
        yield "A stream is resumed by its last "
        await asyncio.sleep(0.4)
        raise ConnectionError("the index answered 503")
    await asyncio.gather(read(context, "read_page", {"page": "docs/runs"}, 0.5), read(context, "read_page", {"page": "docs/durable"}, 0.8))
    context.progress(0.6, "Writing")
    context.usage(input_tokens=3120, output_tokens=412, cost_usd=0.0041)
    for word in ANSWER.split(" "):
        yield word + " "
        await asyncio.sleep(0.012)
    context.progress(0.9, "Waiting for the second source")
    await asyncio.sleep(120)


async def read(context, name, args, seconds):
    with context.tool(name, args) as call:
        await asyncio.sleep(seconds)
        call.result = "4 kB"
`;

export const asked = {
  type: "object",
  required: ["question"],
  properties: {
    question: { type: "string", title: "Question", description: "What is to be found out" },
    depth: { type: "string", title: "Depth", enum: ["short", "thorough"], default: "short" },
    sources: { type: "integer", title: "Sources", minimum: 1, maximum: 10, default: 3 },
    cite: { type: "boolean", title: "Name the sources", default: true },
  },
};

export const supportChat = `import time
from runfleet import interrupt

def main(message: str, context):
    with context.tool("find_order", {"id": "A-1077"}) as call:
        time.sleep(0.3)
        call.result = {"state": "delivered", "total": 120}
    if "broken" in message:
        yield "I am sorry that your order A-1077 came broken. "
        said = interrupt("Can you send a photo of it?")
        yield f"Thank you. I have asked for a refund of 120 €, and a person looks at it today."
    elif "send a new one" in message:
        yield "I can send order A-1077 again, to the address that you gave. A colleague has to agree first."
        interrupt("Send order A-1077 again, to 12 Harbour Street?", response_schema={
            "type": "object", "required": ["agreed"],
            "properties": {"agreed": {"type": "boolean", "title": "Send it"}, "note": {"type": "string", "title": "Note for the parcel"}}})
    else:
        yield "Refunds are paid within three working days after they were approved. You get a mail as soon as it is on its way."
`;

export const refundApproval = `from runfleet import interrupt

def main(order: str, amount: float):
    if amount > 50:
        answer = interrupt(f"Pay back {amount} € for order {order}?", response_schema={
            "type": "object", "required": ["approved"],
            "properties": {"approved": {"type": "boolean", "title": "Pay it back"}, "note": {"type": "string", "title": "Note"}}})
        return {"paid": answer["approved"]}
    return {"paid": True}
`;

export const nightlyDigest = `import time

def main(day: str, context):
    for part in range(600):
        context.progress(part / 600, f"Reading part {part + 1} of 600")
        time.sleep(1)
`;

export const invoiceReader = `from decimal import Decimal


def main(file: str):
    if not file.endswith(".pdf"):
        raise ValueError(f"{file} is no PDF")
    lines = read_lines(file)
    total = 0
    for line in lines:
        total += line["amount"]
    return {"file": file, "total": float(total)}


def read_lines(file):
    return [{"amount": 40.0}, {"amount": 2.0}]
`;

export const invoiceReaderNext = `from decimal import Decimal


def main(file: str, context):
    if not file.endswith((".pdf", ".xml")):
        raise ValueError(f"{file} is neither PDF nor XML")
    lines = read_lines(file)
    context.log(f"{file}: {len(lines)} lines")
    total = sum(Decimal(line["amount"]) for line in lines)
    return {"file": file, "total": str(total), "lines": len(lines)}


def read_lines(file):
    return [{"amount": "40.00"}, {"amount": "2.00"}]
`;
