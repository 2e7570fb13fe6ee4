import { setTimeout as sleep } from "node:timers/promises";
import type { CalledService, SeenCall } from "./called-service.ts";

/** `act` returns the promises that the attack broke. */
export type GatewayAttack = {
  name: string;
  class: "forge" | "borrow" | "overspend" | "exhaust";
  act: (ground: Ground) => Promise<string[]>;
};

/** A running stack whose workers have a gateway that may reach the service. */
export type Ground = { url: string; service: CalledService };

/** What is known of a run that has ended, or waits. `said`: all that the run left behind, as text. */
export type Ended = {
  id: string;
  status: string;
  /** What the program says. */
  result: Record<string, unknown>;
  metered: { input_tokens: number; output_tokens: number } | null;
  said: string;
};

const endMs = 60_000;

async function send(ground: Ground, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(ground.url + path, {
    method,
    headers: { "content-type": "application/json", prefer: "respond-async" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${said}`);
  return said === "" ? {} : (JSON.parse(said) as Record<string, unknown>);
}

/** Gives a user a connection to the service. */
export async function connect(ground: Ground, user_id: string, name: string, more: object = {}): Promise<void> {
  const body = { preset: "openai", base_url: `${ground.service.url}/v1/tenant`, secret: ground.service.key, ...more };
  await send(ground, "PUT", `/v1/connections/${name}?user_id=${user_id}`, body);
}

/** Bounds what a user may spend in a month. */
export async function limitSpending(ground: Ground, user_id: string, amount_micro_usd: number): Promise<void> {
  await send(ground, "PUT", "/v1/billing/spend-limit", { user_id, period: "month", amount_micro_usd });
}

/** Publishes an agent, whose program uses what is in `agents/`, and returns its id. */
export async function publish(ground: Ground, user_id: string, program: string, config: object): Promise<string> {
  const source = `${helpers}\n${program}`;
  const { id } = await send(ground, "POST", "/v1/agents", { user_id, name: "agent", config: { source, ...config } });
  return String(id);
}

export const openThread = async (ground: Ground, user_id: string): Promise<string> =>
  String((await send(ground, "POST", "/v1/threads", { user_id }))["id"]);

/** Begins a run, and returns its id. */
export async function begin(
  ground: Ground,
  agent_id: string,
  input_payload: object,
  more: object = {},
): Promise<string> {
  const { id } = await send(ground, "POST", "/v1/execute", { agent_id, version: "current", input_payload, ...more });
  return String(id);
}

/** Waits until a run has ended, or waits for a person. */
export async function ended(ground: Ground, id: string): Promise<Ended> {
  const until = performance.now() + endMs;
  for (;;) {
    const run = await send(ground, "GET", `/v1/runs/${id}`);
    const status = String(run["status"]);
    if (["success", "error", "cancelled", "interrupted"].includes(status)) {
      const usage = run["usage"] as { metered?: Ended["metered"] } | null;
      const pages = ["/events", "/logs", "/timeline", "/calls"].map((page) =>
        send(ground, "GET", `/v1/runs/${id}${page}`),
      );
      const said = JSON.stringify([run, await Promise.all(pages)]);
      const result = (run["result_content"] as Record<string, unknown> | null) ?? {};
      return { id, status, result, metered: usage?.metered ?? null, said };
    }
    if (performance.now() > until) throw new Error(`The run ${id} is ${status} after ${endMs} ms.`);
    await sleep(50);
  }
}

/** Returns how many calls the gateway says a run has made. */
export async function countCalls(ground: Ground, id: string): Promise<number> {
  const { data } = await send(ground, "GET", `/v1/runs/${id}/calls?limit=100`);
  return (data as object[]).length;
}

export async function execute(ground: Ground, agent_id: string, input: object, more: object = {}): Promise<Ended> {
  return ended(ground, await begin(ground, agent_id, input, more));
}

/** Returns what the service has seen while something was done. */
export async function seenDuring(ground: Ground, act: () => Promise<unknown>): Promise<SeenCall[]> {
  const from = ground.service.seen.length;
  await act();
  return ground.service.seen.slice(from);
}

export const billedFor = (seen: readonly SeenCall[]): number => seen.reduce((sum, { tokens }) => sum + tokens, 0);

/** What every program may use: `ask` a path, send `raw` bytes to the gateway. */
const helpers = String.raw`
import json, os, signal, socket, sys, time, urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
PLACEHOLDER = "runfleet-gateway-adds-the-key"
def ask(path="/chat/completions", body=None, base=None, **fields):
    data = body if isinstance(body, bytes) else json.dumps(body or {"model": "gpt-5-mini", "max_tokens": 50, "messages": [{"role": "user", "content": "x"}]}).encode()
    headers = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in fields.items()}}
    try:
        with urllib.request.urlopen(urllib.request.Request((base or os.environ["OPENAI_BASE_URL"]) + path, data, headers), timeout=20) as answer:
            return [answer.status, str(answer.headers) + answer.read().decode("utf8", "replace")]
    except HTTPError as error:
        return [error.code, error.read().decode("utf8", "replace")]
    except Exception as error:
        return [0, type(error).__name__]
def raw(data):
    told = b""
    try:
        with socket.create_connection(("127.0.0.1", 3128), timeout=3) as s:
            s.sendall(data)
            s.settimeout(1)
            while True:
                part = s.recv(65536)
                if not part: break
                told += part
    except OSError: pass
    return told.decode("latin1")
def at_once(count, act):
    with ThreadPoolExecutor(count) as pool: return list(pool.map(lambda n: act(n), range(count)))
def worked(answers): return [one for one in answers if one[0] == 200]
`;
