import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { Webhook } from "standardwebhooks";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const play = async (source: string, body: Record<string, unknown> = {}, config: Record<string, unknown> = {}) => {
  const agent_id = await makeAgent(url, source, config);
  return readEvents(await execute(url, { agent_id, version: "current", ...body }));
};
const outputs = (events: Awaited<ReturnType<typeof play>>) =>
  events.filter((event) => event.event === "output.delta").map((event) => event.data["content"]);

describe("a client that starts a run sees", () => {
  test("headers and run.queued at once, then the agent's chunks in order, then one terminal event", async () => {
    const agent_id = await makeAgent(
      url,
      py`
        def main(input):
            for i in range(3):
                yield f'{input["word"]} {i}'
            return {'count': 3}
      `,
    );
    const response = await execute(url, { agent_id, version: "latest", input_payload: { word: "chunk" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("location")).toBe(`/v1/runs/${response.headers.get("x-run-id")}/stream`);
    const events = await readEvents(response);
    expect(events.map((event) => event.event)).toEqual([
      "run.queued",
      "run.started",
      "output.delta",
      "output.delta",
      "output.delta",
      "run.success",
    ]);
    expect(events.map((event) => event.id)).toEqual(["0-1", "1-1", "1-2", "1-3", "1-4", "1-5"]);
    expect(outputs(events)).toEqual(["chunk 0", "chunk 1", "chunk 2"]);
    expect(events.at(-1)?.data).toMatchObject({ status: "success", result_content: { count: 3 }, error: null });
  });

  test("prints to stdout as output and to stderr as log, in the order of the yields", async () => {
    const events = await play(
      py`
        import sys
        def main(input):
            print('one')
            yield 'two'
            print('three')
            print('aside', file=sys.stderr)
      `,
    );
    expect(outputs(events).join("")).toBe("one\ntwothree\n");
    expect(events.find((event) => event.event === "log")?.data).toMatchObject({
      stream: "stderr",
      message: expect.stringContaining("aside"),
    });
  });

  test("an exception as run.error with its type, message and traceback, and what there was as partial", async () => {
    const last = (
      await play(py`
        def main(input):
            yield 'half'
            raise ValueError('no luck')
      `)
    ).at(-1);
    expect(last?.event).toBe("run.error");
    expect(last?.data).toMatchObject({
      error: { code: "agent_error", type: "ValueError", message: "no luck" },
      partial: { output: "half" },
    });
    expect(JSON.stringify(last?.data)).toContain("raise ValueError('no luck')");
  });

  test("a process that just exits as run.error", async () => {
    const last = (
      await play(py`
        import os
        def main(input):
            os._exit(7)
      `)
    ).at(-1);
    expect(last?.data).toMatchObject({ status: "error", error: { code: "process_exited" } });
  });

  test("an agent that sleeps past its time-out end as run.timeout, soon after it", async () => {
    const last = (
      await play(
        py`
          import time
          def main(input):
              yield 'x'
              time.sleep(60)
        `,
        {},
        { limits: { timeout_ms: 400 } },
      )
    ).at(-1);
    expect(last?.event).toBe("run.timeout");
    expect(last?.data["duration_ms"]).toBeLessThan(3_000);
  });

  test("a flood of output cut at its limit, with its own error code", async () => {
    const events = await play(
      py`
        def main(input):
            while True:
                yield 'x' * 1000
      `,
      {},
      { limits: { output_bytes: 200_000 } },
    );
    expect(events.at(-1)?.data).toMatchObject({ status: "error", error: { code: "output_limit" } });
    expect(outputs(events).join("").length).toBeLessThan(200_000);
  });

  test("code in the run's own files when the config has none, and no_entrypoint when there is none anywhere", async () => {
    const agent = await call(url, "POST", "/v1/agents", { user_id: "tester", name: "bare" });
    const body = { agent_id: agent.body["id"], version: "1.0.0" };
    const ran = await readEvents(
      await execute(url, {
        ...body,
        files: {
          "main.py": py`
            def main(i):
                return {'ok': True}
          `,
        },
      }),
    );
    expect(ran.at(-1)?.data).toMatchObject({ status: "success", result_content: { ok: true } });
    const none = await readEvents(await execute(url, body));
    expect(none.at(-1)?.data).toMatchObject({ status: "error", error: { code: "no_entrypoint" } });
  });
});

describe("env_vars and files", () => {
  test("reach the agent; their values reach neither Redis nor an answer nor, printed, the stream", async () => {
    const secret = "sk-planted-0123456789";
    const source = py`
      import os
      def main(input):
          print(os.environ['TOKEN'])
          return {'len': len(os.environ['TOKEN']), 'file': open('a/b.txt').read()}
    `;
    const agent_id = await makeAgent(url, source);
    const response = await execute(url, {
      agent_id,
      version: "current",
      env_vars: { TOKEN: secret },
      files: { "a/b.txt": "hello" },
    });
    const events = await readEvents(response);
    expect(events.at(-1)?.data).toMatchObject({ result_content: { len: secret.length, file: "hello" } });
    expect(JSON.stringify(events)).not.toContain(secret);
    const runId = response.headers.get("x-run-id") ?? "";
    const { body } = await call(url, "GET", `/v1/runs/${runId}`);
    expect(body).toMatchObject({ env_names: ["TOKEN"], files: [{ name: "a/b.txt", size: 5 }] });
    expect(JSON.stringify(body)).not.toContain(secret);
    for (const key of await stack.redis.keys(`${stack.prefix}*`)) {
      const dump = await stack.redis.dumpBuffer(key);
      expect(dump?.includes(secret) ?? false).toBe(false);
    }
    const { rows } = await stack.sql.query("SELECT 1 FROM run_secrets WHERE run_id = $1", [runId]);
    expect(rows).toEqual([]);
  });
});

describe("a thread", () => {
  test("is made when unknown; its history and last state flow into its next run", async () => {
    const source = py`
      def main(input, context):
          n = int(context.state or 0) + 1
          context.save_state(str(n))
          return {'n': n, 'seen': len(context.history)}
    `;
    const agent_id = await makeAgent(url, source);
    const body = { agent_id, version: "current", thread_id: `t-${Date.now()}` };
    const first = (await readEvents(await execute(url, body))).at(-1);
    expect(first?.data).toMatchObject({ result_content: { n: 1, seen: 0 }, state_snapshot: "1" });
    const second = (await readEvents(await execute(url, body))).at(-1);
    expect(second?.data).toMatchObject({ result_content: { n: 2, seen: 2 }, state_snapshot: "2" });
  });

  test("runs its runs one at a time, in order, however many are started at once", async () => {
    const agent_id = await makeAgent(
      url,
      py`
        import time
        def main(input):
            t = time.time()
            time.sleep(0.1)
            return {'from': t, 'to': time.time()}
      `,
    );
    const thread_id = `t-parallel-${Date.now()}`;
    const ends = await Promise.all(
      [1, 2, 3].map(async () =>
        (await readEvents(await execute(url, { agent_id, version: "current", thread_id }))).at(-1),
      ),
    );
    const spans = ends
      .map((event) => event?.data["result_content"] as { from: number; to: number })
      .toSorted((a, b) => a.from - b.from);
    expect(spans).toHaveLength(3);
    for (const [i, span] of spans.slice(1).entries())
      expect(span.from).toBeGreaterThanOrEqual(spans[i]?.to ?? Infinity);
  });
});

describe("run_id", () => {
  test("the same id with the same body attaches, from many clients at once: one execution; with another body 409", async () => {
    const agent_id = await makeAgent(
      url,
      py`
        import time
        def main(input):
            yield 'a'
            time.sleep(0.2)
            yield 'b'
      `,
    );
    const run_id = `mine-${Date.now()}`;
    const body = { agent_id, version: "current", run_id };
    const histories = await Promise.all(Array.from({ length: 20 }, async () => readEvents(await execute(url, body))));
    const lines = histories.map((events) => events.map((event) => `${event.id} ${JSON.stringify(event.data)}`));
    for (const line of lines) expect(line).toEqual(lines[0]);
    expect(lines[0]?.map((line) => line.split(" ")[0])).toEqual(["0-1", "1-1", "1-2", "1-3", "1-4"]);
    const other = await execute(url, { ...body, input_payload: { other: 1 } });
    expect([other.status, await other.json()]).toMatchObject([409, { code: "run_id_taken" }]);
  });
});

describe("Prefer", () => {
  test("respond-async answers 202 with the run, wait=N answers 200 with the ended run", async () => {
    const agent_id = await makeAgent(
      url,
      py`
        def main(input):
            return {'done': True}
      `,
    );
    const later = await call(url, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "respond-async" });
    expect([later.status, later.body["object"]]).toEqual([202, "run"]);
    const waited = await call(url, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "wait=10" });
    expect(waited).toMatchObject({ status: 200, body: { status: "success", result_content: { done: true } } });
  });
});

describe("a receiver of callbacks", () => {
  let server: Server;
  const got: { headers: IncomingMessage["headers"]; body: string }[] = [];
  let status = 200;
  beforeAll(async () => {
    server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on("data", (chunk: Buffer) => chunks.push(chunk));
      req.on("end", () => {
        got.push({ headers: req.headers, body: Buffer.concat(chunks).toString() });
        res.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => server.close());

  test("gets one signed message per ended run, again with the same id after a failure, and it is told in the run", async () => {
    const { body: made } = await call(url, "POST", "/v1/users/me/callback-secret", { user_id: "tester" });
    const agent_id = await makeAgent(
      url,
      py`
        import os
        def main(input):
            return {'done': True, 'parent': os.environ['TRACEPARENT']}
      `,
    );
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    status = 500;
    const response = await execute(
      url,
      { agent_id, version: "current", completion_callback_url: `http://127.0.0.1:${port}/hook` },
      { traceparent },
    );
    await readEvents(response);
    const runId = response.headers.get("x-run-id") ?? "";
    await waitFor(() => got.length >= 1);
    status = 204;
    const callback = await waitFor(async () => {
      const { body } = await call(url, "GET", `/v1/runs/${runId}/callbacks`);
      return (body["callback"] as { status: string }).status === "delivered" ? body : null;
    });
    expect(got.length).toBeGreaterThanOrEqual(2);
    expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const last = got.at(-1);
    const verified = new Webhook(String(made["secret"])).verify(
      last?.body ?? "",
      last?.headers as Record<string, string>,
    );
    expect(verified).toMatchObject({
      type: "run.success",
      run_id: runId,
      status: "success",
      // Nobody traces here: the client's own span is the parent of what others trace.
      result_content: { done: true, parent: traceparent },
    });
    expect(last?.headers["traceparent"]).toBe(traceparent);
    expect((callback["data"] as unknown[]).length).toBe(got.length);
  });

  test("a private target is refused when the run is asked for", async () => {
    const answer = await call(url, "POST", "/v1/execute", {
      agent_id: "x",
      version: "1",
      completion_callback_url: "http://169.254.169.254/latest",
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ["body", "completion_callback_url"] }] });
  });
});
