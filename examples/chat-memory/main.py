"""A chat that remembers: each run of a thread is a turn, and the model is told the turns before."""

import json
import os
import urllib.request

MODEL = os.environ.get("MODEL", "gpt-5-mini")
SYSTEM = {"role": "system", "content": "You are a friendly assistant. Answer in a few sentences."}


def main(message: str, context):
    turns = [{"role": turn["role"], "content": text_of(turn)} for turn in context.history]
    answer = ""
    for chunk in stream([SYSTEM, *turns, {"role": "user", "content": message}]):
        for choice in chunk["choices"]:
            text = choice["delta"].get("content") or ""
            answer += text
            yield text
        if chunk.get("usage"):
            used = chunk["usage"]
            context.usage(input_tokens=used["prompt_tokens"], output_tokens=used["completion_tokens"])
    return {"answer": answer}


def text_of(turn):
    return turn["content"]["message"] if turn["role"] == "user" else turn["text"]


def stream(messages):
    """Yields the chunks of a chat completion, of any provider with OpenAI's API."""
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
    body = {"model": MODEL, "messages": messages, "stream": True, "stream_options": {"include_usage": True}}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    request = urllib.request.Request(f"{base}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as response:
        # Other lines are comments, ids and names of events.
        for line in response:
            field, _, data = line.decode().partition(":")
            if field == "data" and data.strip() not in ("", "[DONE]"):
                yield json.loads(data)
