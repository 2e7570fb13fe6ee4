# Says and does a bit of everything; `fail` makes it fail, `wait` makes it stay.
import time


def main(input, context):
    context.progress(0.5, "half")
    yield "Hello, "
    with context.tool("search", {"q": 1}) as call:
        call.result = "found"
    context.artifact("a.txt", "hi")
    context.emit("mood", {"value": "good"})
    context.save_state({"asked": 1})
    context.usage(input_tokens=3, output_tokens=5)
    yield input.get("name", "you")
    yield {"score": 1}
    if input.get("fail"):
        raise ValueError("boom")
    time.sleep(60 if input.get("wait") else 0)
    return {"greeted": True}
