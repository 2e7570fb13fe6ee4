// @ts-nocheck
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
const stack = await useTestStack();
const { url } = await stack.startService();
await call(url, "POST", "/v1/agents", {
  user_id: "t",
  name: "agent",
  id: "agent",
  version: "1.2.0",
  config: {
    source: py`
    import time
    def main(input, context):
        context.usage(input_tokens=7, output_tokens=3)
        p = input["prompt"]
        if p in ("delete", "x"):
            yield "I need a yes."
            context.interrupt("Name?", reason="ask")
            yield "Finished."
        else:
            for part in ("It ", "is ", "sunny."):
                yield part
                time.sleep(0.03)
`,
  },
});
await call(url, "PUT", "/v1/versions/agent/tags/prod", { version: "1.2.0" });
const keysOf = (o) => (o && typeof o === "object" && !Array.isArray(o) ? Object.keys(o) : []);
test("replay", { timeout: 120000 }, async () => {
  for (const file of ["openai", "ai-sdk", "ag-ui"]) {
    const { exchanges } = JSON.parse(readFileSync(`/work/shared/reference/protocols/${file}.json`, "utf8"));
    let same = 0,
      n = 0;
    for (const { name, request, response, events } of exchanges) {
      if (!request) continue;
      n += 1;
      let body = request.body && JSON.parse(JSON.stringify(request.body));
      if (body?.runId) body.runId = `${body.runId}-${n}`;
      if (body?.threadId && !body.resume) body.threadId = `${body.threadId}-${n}`;
      if (body?.id) body.id = `${body.id}-${n}`;
      const q = request.query ? `?${new URLSearchParams(request.query)}` : "";
      const res = await fetch(url + request.path + q, {
        method: request.method,
        headers: { "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await res.text();
      const notes = [];
      if (res.status !== response.status)
        notes.push(`status ${response.status} -> ${res.status} ${text.slice(0, 140)}`);
      else if (events) {
        const types = (list) => list.filter((t, i) => t !== list[i - 1]);
        const want = types(
          events.map(({ data }) => data?.type ?? (data === "[DONE]" ? "DONE" : keysOf(data).join(","))),
        );
        const got = types(
          text
            .split("\n")
            .filter((l) => l.startsWith("data: "))
            .map((l) => l.slice(6))
            .map((d) => (d === "[DONE]" ? "DONE" : (JSON.parse(d).type ?? keysOf(JSON.parse(d)).join(",")))),
        );
        if (JSON.stringify(want) !== JSON.stringify(got))
          notes.push(`want ${want.join(" ")}\n      got  ${got.join(" ")}`);
      } else if (response.body && typeof response.body === "object" && text) {
        const got = JSON.parse(text);
        const missing = keysOf(response.body).filter((k) => !(k in got));
        if (missing.length) notes.push(`missing ${missing}`);
        const m = response.body.choices?.[0]?.message;
        if (m) {
          const mm = keysOf(m).filter((k) => !(k in (got.choices?.[0]?.message ?? {})));
          if (mm.length) notes.push(`message misses ${mm}`);
        }
      }
      if (notes.length) console.log(`${file} * ${name}: ${notes.join("; ")}`);
      else same += 1;
    }
    console.log(`${file}: ${same} of ${n} the same`);
  }
});
