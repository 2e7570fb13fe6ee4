import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { placeEvent } from "../shared/domain/run/stream-event.ts";
import { openRunStreams, type RunStreams } from "../shared/platform/stream/run-streams.ts";
import { queueRuns } from "./queue-runs.ts";
import { quantile } from "./quantile.ts";
import { openConnections, openReaders } from "./sse-readers.ts";
import { type BenchStack, withStack } from "./with-stack.ts";

const idleReaders = 10_000;
const busySeconds = 10;
/** For each busy reader. */
const eventsPerSecond = 2;
const busy = [
  { readers: 1, runs: 1, paused: 0 },
  { readers: 100, runs: 1, paused: 0 },
  { readers: 1_000, runs: 1, paused: 0 },
  { readers: 100, runs: 100, paused: 0 },
  { readers: 1_000, runs: 1_000, paused: 0 },
  { readers: 1_000, runs: 1_000, paused: 500 },
];

/**
 * Measures readers of one API process. Their runs are queued behind a run that keeps the only worker busy; this process
 * appends the runs' events as a worker would. So the figures are of the API and Redis alone.
 */
export async function benchSse(signal: AbortSignal): Promise<void> {
  const settings = { WORKERS: "1", WORKER_SLOTS: "1" };
  console.log("| open | API memory, MiB | KiB each | Redis connections |\n|---|---|---|---|");
  await withStack(signal, settings, (stack) => benchMemory(stack, "idle HTTP connections", openConnections));
  await withStack(signal, settings, (stack) => benchMemory(stack, "idle readers, each of its own run", openReaders));
  console.log(`\nEach reader gets ${eventsPerSecond} events a second.\n`);
  console.log("| readers | of runs | that read nothing | median ms | p99 ms | worst ms |\n|---|---|---|---|---|---|");
  await withStack(signal, settings, async (stack) => {
    const runIds = await queueRuns(stack, Math.max(...busy.map(({ runs }) => runs)));
    for (const shape of busy) await benchDelay(stack, runIds, shape);
  });
}

async function benchMemory(stack: BenchStack, what: string, open: typeof openReaders): Promise<void> {
  const runIds = await queueRuns(stack, idleReaders);
  const warm = await open(stack.url, runIds.slice(0, 50), () => undefined);
  const before = await measure(stack);
  const readers = await open(stack.url, runIds, () => undefined);
  await sleep(10_000);
  const after = await measure(stack);
  const each = (after.memory - before.memory) / idleReaders / 1024;
  console.log(`| none | ${mib(before.memory)} | | ${before.connections} |`);
  console.log(`| ${idleReaders} ${what} | ${mib(after.memory)} | ${each.toFixed(1)} | ${after.connections} |`);
  for (const reader of [...warm, ...readers]) reader.close();
}

/** Returns the API's resident memory in bytes, and Redis' number of connections. */
async function measure({ url, redisUrl }: BenchStack): Promise<{ memory: number; connections: number }> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const redis = new Redis(redisUrl);
  const clients =
    String(await redis.client("LIST"))
      .trim()
      .split("\n").length - 1;
  redis.disconnect();
  return { memory: Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]), connections: clients };
}

type Shape = (typeof busy)[number];

async function benchDelay({ url, redisUrl }: BenchStack, runIds: string[], shape: Shape): Promise<void> {
  const delays: number[] = [];
  let start = Infinity;
  const streams = openRunStreams(redisUrl, "runfleet:", () => undefined);
  while (
    !(await streams.ping().then(
      () => true,
      () => false,
    ))
  )
    await sleep(20);
  const read = runIds.slice(0, shape.runs);
  const paths = Array.from({ length: shape.readers }, (_, i) => read[i % shape.runs] ?? "");
  const readers = await openReaders(url, paths, (ms) => {
    // A reader also gets events of the shape before this one.
    if (performance.now() - ms >= start) delays.push(ms);
  });
  for (const reader of readers.slice(0, shape.paused)) reader.pause();
  const rounds = busySeconds * eventsPerSecond;
  start = performance.now();
  for (let round = 0; round < rounds; round += 1)
    for (const [i, runId] of read.entries()) {
      const due = start + ((round + i / read.length) / eventsPerSecond) * 1_000;
      if (due > performance.now()) await sleep(due - performance.now());
      void appendOutput(streams, runId);
    }
  await sleep(500);
  for (const reader of readers) reader.close();
  streams.close();
  const figures = [quantile(delays, 0.5), quantile(delays, 0.99), Math.max(...delays)].map((ms) => ms.toFixed(1));
  console.log(`| ${shape.readers} | ${shape.runs} | ${shape.paused} | ${figures.join(" | ")} |`);
}

const seqs = new Map<string, number>();

function appendOutput(streams: RunStreams, runId: string): Promise<unknown> {
  const seq = (seqs.get(runId) ?? 0) + 1;
  seqs.set(runId, seq);
  const content = String(performance.timeOrigin + performance.now());
  const body = { type: "output.delta", content } as const;
  return streams.append(runId, [placeEvent(runId, { attempt: 1, seq }, body, new Date())]);
}

const mib = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
