/** An agent in plain Python that asks a model, does what the model asks by its tools, and tells it, until it has asked often enough. */
export const agent = `import json, os, urllib.request

def ask(messages, stream):
    body = {"model": "gpt-5-mini", "messages": messages, "stream": stream}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        if not stream:
            return json.loads(answer.read())["choices"][0]["message"]
        content, tools = "", []
        for line in answer:
            if not line.startswith(b"data: {"):
                continue
            for choice in json.loads(line[6:])["choices"]:
                content += choice["delta"].get("content") or ""
                tools += choice["delta"].get("tool_calls") or []
        return {"role": "assistant", "content": content, "tool_calls": tools}

def tool(call):
    turn = json.loads(call["function"]["arguments"])["turn"]
    return f"{call['function']['name']} gave {turn * 7}"

def main(input):
    messages = [{"role": "user", "content": "What do we know of kingfishers?"}]
    for turn in range(int(os.environ["CALLS"])):
        message = ask(messages, stream=turn % 2 == 0)
        yield message["content"]
        messages.append(message)
        for call in message["tool_calls"]:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": tool(call)})
`;
