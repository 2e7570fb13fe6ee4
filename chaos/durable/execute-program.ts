import { setTimeout as sleep } from "node:timers/promises";
import type { Withdrawal } from "../../shared/domain/run/void-events.ts";
import type { Random } from "../random.ts";
import { programs } from "./programs.ts";

export type Told = { id: string; event: string; data: Record<string, unknown> & Withdrawal };

/** `accepted`: the payloads of the signals that were answered 202. `untaken`: how many signals are listed as taken by nothing. */
export type Execution = { run_id: string; events: Told[]; accepted: unknown[]; untaken: number };

type World = { urls: readonly [string, ...string[]]; random: Random; onAccepted?: (run_id: string) => void };

/** A run that has not ended by then is a fault. */
const runMs = 180_000;
/** Notes come within this time: some of them after the run's end. */
const notesMs = 2_600;

export async function publishPrograms(url: string): Promise<void> {
  for (const [name, { adapter_type, source }] of Object.entries(programs)) {
    const config = { adapter_type, source, max_attempts: 100 };
    const answer = await post(`${url}/v1/agents`, { user_id: "durable", id: name, name, version: "1.0.0", config });
    if (!answer.ok) throw new Error(`agent ${name}: ${answer.status} ${await answer.text()}`);
  }
}

/** Executes one run of a program, and says to it what the program waits for. */
export async function executeProgram(world: World, name: string): Promise<Execution> {
  const url = world.random.pick(world.urls);
  const body = { agent_id: name, version: "current" };
  const begun = await post(`${url}/v1/execute`, body, { prefer: "respond-async" });
  if (!begun.ok) throw new Error(`The run was refused: ${begun.status} ${await begun.text()}`);
  const { id: run_id } = (await begun.json()) as { id: string };
  world.onAccepted?.(run_id);
  const over = new AbortController();
  const events: Told[] = [];
  const saying = say({ ...world, url, run_id, signal: over.signal, events }, name);
  saying.catch(() => undefined);
  try {
    await follow(`${url}/v1/runs/${run_id}`, events);
    const accepted = await saying;
    return { run_id, events, accepted, untaken: await countUntaken(`${url}/v1/runs/${run_id}`) };
  } finally {
    over.abort();
  }
}

/** Reads what a run tells until its end, and answers its questions. */
async function follow(runUrl: string, events: Told[]): Promise<void> {
  const answered = new Set<string>();
  const until = performance.now() + runMs;
  while (!/^run\.(success|error|timeout|cancelled|expired)$/.test(events.at(-1)?.event ?? "")) {
    const left = AbortSignal.timeout(Math.max(1, Math.ceil(until - performance.now())));
    const answer = await fetch(`${runUrl}/stream`, { signal: left }).catch(() => null);
    if (!answer?.body) throw new Error(`${runUrl} has not ended in time: ${events.at(-1)?.event ?? "no event"}`);
    await readInto(events, answer.body).catch(() => undefined);
    const last = events.at(-1);
    if (last?.event !== "run.interrupted" || answered.has(last.id)) continue;
    await answerQuestion(runUrl, last);
    answered.add(last.id);
  }
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  reach(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Asks once more where the connection broke: an API may close one that is idle while it is used again. */
const reach = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, init).catch(() => fetch(url, init));

/** Reads a stream from its first event. What it tells replaces what was read before. */
async function readInto(events: Told[], body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  let isFirst = true;
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    const messages = (rest + decoder.decode(part, { stream: true })).split("\n\n");
    rest = messages.pop() ?? "";
    for (const told of messages.flatMap(parseMessage)) {
      if (isFirst) events.length = 0;
      isFirst = false;
      events.push(told);
    }
  }
}

function parseMessage(message: string): Told[] {
  const lines = message.split("\n");
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [id, event, data] = [field("id"), field("event"), field("data")];
  return id && event && data ? [{ id, event, data: JSON.parse(data) as Told["data"] }] : [];
}

async function answerQuestion(runUrl: string, { data }: Told): Promise<void> {
  const [asked] = data["interrupts"] as { id: string; message: string }[];
  const reply = { interrupt_id: asked?.id, response: `yes to ${asked?.message}` };
  const answer = await post(`${runUrl}/resume`, reply, { prefer: "respond-async" });
  if (answer.status !== 202) throw new Error(`An answer was refused: ${answer.status} ${await answer.text()}`);
}

type Saying = World & { url: string; run_id: string; signal: AbortSignal; events: readonly Told[] };

/** Sends a program's signals, each at a random moment. Returns the payloads of those that were accepted. */
async function say(saying: Saying, name: string): Promise<unknown[]> {
  const { signals = [], notes = 0 } = programs[name] ?? {};
  for (const [n, { name: signal, payload }] of signals.entries()) {
    await untilItsTime(saying);
    if (!(await send(saying, { name: signal, id: `${signal}-${n}`, payload })))
      throw new Error(`A signal to ${saying.run_id} was refused.`);
  }
  const times = Array.from({ length: notes }, () => saying.random.below(notesMs)).toSorted((a, b) => a - b);
  const beganAt = performance.now();
  const accepted: unknown[] = [];
  for (const [note, at] of times.entries()) {
    await sleep(Math.max(0, at - (performance.now() - beganAt)), undefined, { signal: saying.signal }).catch(
      () => null,
    );
    if (await send(saying, { name: "note", id: `note-${note}`, payload: note })) accepted.push(note);
  }
  return accepted;
}

/** At once, at some later time, or when the run has begun to wait or was suspended again. */
async function untilItsTime({ random, events, signal }: Saying): Promise<void> {
  const moment = random.pick(["now", "later", "wait.opened", "run.suspended"]);
  if (moment === "now") return;
  const until = performance.now() + (moment === "later" ? random.below(1_500) : 3_000);
  const count = (): number => events.filter(({ event }) => event === moment).length;
  const before = count();
  while (performance.now() < until && !signal.aborted && (moment === "later" || count() <= before)) await sleep(10);
}

/** Sends a signal, sometimes twice. Returns false when the run has ended. */
async function send(
  { url, run_id, random }: Saying,
  signal: { name: string; id: string; payload: unknown },
): Promise<boolean> {
  const { name, ...body } = signal;
  const address = `${url}/v1/runs/${run_id}/signals/${name}`;
  const { status } = await post(address, body);
  if (status === 409) return false;
  if (status !== 202) throw new Error(`A signal to ${run_id} was answered with ${status}.`);
  if (random.chance(0.3)) await post(address, body);
  return true;
}

async function countUntaken(runUrl: string): Promise<number> {
  const answer = await reach(`${runUrl}/inputs?untaken=true&limit=100`);
  return ((await answer.json()) as { data: unknown[] }).data.length;
}
