import { Agent, request } from "node:http";

/** Times since the request was sent, in milliseconds. */
export type RunTimes = { first: number; whole: number; runId: string; startedAt: number };

export type BenchClient = {
  /** Publishes an agent version; its id is `name`. */
  publish(name: string, config: Record<string, unknown>, version?: string): Promise<void>;
  /** Executes one streamed run, from POST to the stream's end. Throws when the run doesn't succeed. */
  run(agentId: string, body?: Record<string, unknown>): Promise<RunTimes>;
  close(): void;
};

const firstWord = "event: output.delta";

/** A client on Node's plain HTTP, with connections that stay open: its own time is a part of every figure. */
export function createBenchClient(url: string): BenchClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });

  function post(path: string, body: unknown, onText: (text: string) => void): Promise<void> {
    const payload = Buffer.from(JSON.stringify(body));
    const headers = { "content-type": "application/json", "content-length": payload.length };
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { method: "POST", agent, headers }, (answer) => {
        const ok = (answer.statusCode ?? 500) < 300;
        answer.setEncoding("utf8");
        answer.on("data", onText);
        answer.on("end", () => (ok ? resolve() : reject(new Error(`${path} answered ${answer.statusCode}`))));
        answer.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(payload);
    });
  }

  return {
    publish: (name, config, version = "1.0.0") =>
      post("/v1/agents", { user_id: "bench", id: name, name, version, config }, () => {}),
    async run(agentId, body = {}) {
      const at = performance.now();
      let first = Number.NaN;
      let text = "";
      // The whole text isn't searched for each part: a run of 400 steps would cost this process more than the API.
      let end = "";
      await post("/v1/execute", { agent_id: agentId, version: "current", ...body }, (part) => {
        text += part;
        if (!Number.isNaN(first)) return;
        if ((end + part).includes(firstWord)) first = performance.now() - at;
        end = part.slice(-firstWord.length);
      });
      const whole = performance.now() - at;
      if (!text.includes("event: run.success")) throw new Error(`The run did not succeed:\n${text}`);
      const runId = /"run_id":"([^"]+)"/.exec(text)?.[1] ?? "";
      return { first, whole, runId, startedAt: performance.timeOrigin + at };
    },
    close: () => agent.destroy(),
  };
}
