import { Agent, request } from "node:http";

/** How a run ended, and the time from its POST to its stream's end, in milliseconds. */
export type Ending = { event: string; result: unknown; ms: number };

/** What a run's request may say beyond its agent and input. */
export type Asked = { runtime_mode?: string; timeout_ms?: number };

export type FleetClient = {
  publish(owner: string, id: string, config: Record<string, unknown>): Promise<void>;
  /** Executes a run, from its POST to its last event. `event` is `http <status>` for a run that was not accepted. */
  run(agentId: string, input: Record<string, unknown>, asked?: Asked): Promise<Ending>;
  close(): void;
};

/** A client for several owners: in open mode a request names an agent's owner, and the agent's runs are that owner's. */
export function createFleetClient(url: string): FleetClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });

  function post(path: string, body: unknown): Promise<{ status: number; text: string }> {
    const payload = Buffer.from(JSON.stringify(body));
    const headers = { "content-type": "application/json", "content-length": payload.length };
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { method: "POST", agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
        answer.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(payload);
    });
  }

  return {
    async publish(owner, id, config) {
      const { status, text } = await post("/v1/agents", { user_id: owner, id, name: id, version: "1.0.0", config });
      if (status >= 300) throw new Error(`${id} was not published: ${text}`);
    },
    async run(agentId, input_payload, asked = {}) {
      const at = performance.now();
      const body = { agent_id: agentId, version: "current", input_payload, ...asked };
      const { status, text } = await post("/v1/execute", body);
      const ms = performance.now() - at;
      if (status >= 300) return { event: `http ${status}`, result: null, ms };
      const last = text.slice(text.lastIndexOf("\nevent: run."));
      const event = /^event: (.*)$/m.exec(last)?.[1] ?? "no end";
      const data = JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? "{}") as { result_content?: unknown };
      return { event, result: data.result_content ?? null, ms };
    },
    close: () => agent.destroy(),
  };
}
