import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Balancer } from "./balance.ts";

/** What the clients of an upgrade have seen. */
export type Load = {
  /** What is being replaced. */
  stage: string;
  requests: number;
  /** Streams that were cut and resumed elsewhere. */
  resumed: number;
  /** One line for each request that failed, and each run that did not end well. */
  faults: string[];
  runs: string[];
};

const agents = {
  short: "import time\ndef main(input):\n    for i in range(5):\n        yield str(i)\n        time.sleep(0.05)\n",
  /** It may be tried once only: being handed back must not count. */
  long: "import time\ndef main(input):\n    time.sleep(4)\n    return {'ok': True}\n",
};
const terminal = /^event: run\.(success|error|timeout|cancelled|expired)$/m;
const created = z.object({ id: z.string() });

export type Clients = { load: Load; stop(): Promise<void> };

/** Clients that publish, run, follow, read and list until `stop`, each request at whichever API is ready. */
export async function startClients(balancer: Balancer, count: number): Promise<Clients> {
  const load: Load = { stage: "nothing", requests: 0, resumed: 0, faults: [], runs: [] };
  let isOn = true;

  async function ask(path: string, init: RequestInit = {}): Promise<Response | null> {
    load.requests += 1;
    const response = await balancer.send(path, init).catch((error: unknown) => String(error));
    if (typeof response !== "string" && response.ok) return response;
    const why = typeof response === "string" ? response : `${response.status} ${await response.text()}`;
    load.faults.push(`while replacing ${load.stage}: ${init.method ?? "GET"} ${path}: ${why.slice(0, 300)}`);
    return null;
  }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });

  async function publish(name: keyof typeof agents): Promise<void> {
    const config = { source: agents[name], ...(name === "long" && { max_attempts: 1 }) };
    await (await post("/v1/agents", { user_id: "ada", id: name, name, version: "1.0.0", config }))?.text();
  }
  async function stream(): Promise<void> {
    const first = await post("/v1/execute", { agent_id: "short", version: "current" });
    const id = first?.headers.get("x-run-id");
    if (!first || !id) return;
    load.runs.push(id);
    const text = await readToEnd(id, first);
    load.faults.push(...faultsOfStream(text).map((fault) => `${id}: ${fault}`));
  }
  /** Resumes where the stream was cut. */
  async function readToEnd(id: string, first: Response): Promise<string> {
    let text = await first.text().catch(() => "");
    for (let tries = 0; !terminal.test(text) && tries < 20; tries += 1) {
      load.resumed += 1;
      const last = [...text.matchAll(/^id: (\d+-\d+)$/gm)].at(-1)?.[1];
      const next = await ask(`/v1/runs/${id}/stream`, { headers: last === undefined ? {} : { "last-event-id": last } });
      text += (await next?.text().catch(() => "")) ?? "";
    }
    return text;
  }
  async function start(): Promise<void> {
    const answer = await post("/v1/execute", { agent_id: "long", version: "current" }, { prefer: "respond-async" });
    if (!answer) return;
    const { id } = created.parse(await answer.json());
    load.runs.push(id);
    await (await ask(`/v1/runs/${id}`))?.text();
  }
  async function read(): Promise<void> {
    await (await ask("/v1/runs?limit=20"))?.text();
    await (await ask("/v1/agents/short"))?.text();
    await sleep(200);
  }
  const acts = [stream, stream, start, read];
  async function client(nth: number): Promise<void> {
    const act = acts[nth % acts.length] ?? read;
    while (isOn) {
      await act();
      // A client that starts runs would fill the queue alone.
      await sleep(act === start ? 500 : 20);
    }
  }

  await publish("short");
  await publish("long");
  const clients = Promise.all(Array.from({ length: count }, (_, nth) => client(nth)));
  return {
    load,
    async stop() {
      isOn = false;
      await clients;
    },
  };
}

/** Returns what is wrong with a stream that was read for as long as it was resumed. */
export function faultsOfStream(text: string): string[] {
  return terminal.test(text) ? gapsOf(text) : [...gapsOf(text), "its stream never ended"];
}

/** Where events are missing, repeated or out of order. */
function gapsOf(text: string): string[] {
  const ids = [...text.matchAll(/^id: (\d+)-(\d+)$/gm)];
  const places = ids.map(([, attempt, seq]) => [Number(attempt), Number(seq)] as const);
  return places.flatMap(([attempt, seq], nth) => {
    const [before, last] = places[nth - 1] ?? [0, 0];
    const follows = attempt === before ? seq === last + 1 : attempt > before && seq === 1;
    return follows ? [] : [`after the event ${before}-${last} came ${attempt}-${seq}`];
  });
}
