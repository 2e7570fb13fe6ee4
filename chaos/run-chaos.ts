import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { collectStored } from "./check/collect-evidence.ts";
import type { Evidence } from "./check/evidence.ts";
import { checkAll } from "./check/invariants.ts";
import { publishAgents } from "./drive/agents.ts";
import { type ClientRecord, driveRuns } from "./drive/drive-runs.ts";
import { openReceiver } from "./drive/receiver.ts";
import { runNemesis } from "./nemesis/nemesis.ts";
import { createRandom } from "./random.ts";
import type { Verdict } from "./report.ts";
import { builtMembers, type ChaosStack, openChaosStack } from "./stack/open-stack.ts";
import { watchStalls } from "./stack/watch-stalls.ts";

export type ChaosOptions = { seed: number; runs: number; minutes: number; clients: number };

const settleMs = 120_000;

/**
 * Drives runs through a stack while a nemesis breaks the stack, waits until all runs have ended, and checks what was promised.
 * Ends early after `minutes`, or when `signal` aborts, and then checks the runs so far.
 */
export async function runChaos(
  { seed, runs, minutes, clients }: ChaosOptions,
  signal: AbortSignal,
  commands = builtMembers,
): Promise<Verdict> {
  const startedAt = performance.now();
  const stack = await openChaosStack(3, commands);
  const watch = watchStalls();
  const receiver = await openReceiver(createRandom(`${seed}/receiver`));
  const record: ClientRecord = { accepted: [], histories: [], refused: [], begun: 0 };
  const over = new AbortController();
  const enough = AbortSignal.any([signal, AbortSignal.timeout(Math.round(minutes * 60_000))]);
  const broken = new Map<string, string[]>();
  const surprises = () => [...stack.apis, ...stack.workers].reduce((sum, member) => sum + member.surprises(), 0);
  try {
    await publishAgents(stack.apiUrls[0]);
    const random = createRandom(`${seed}/nemesis`);
    const nemesis = runNemesis({
      stack,
      random,
      runs,
      begun: () => record.begun,
      signal: AbortSignal.any([enough, over.signal]),
    });
    const { apiUrls, leaseMs } = stack;
    await driveRuns({ seed, runs, clients, apiUrls, receiver, signal: enough }, record);
    over.abort();
    const struck = await nemesis;
    const stored = await settle(stack.postgres.url);
    const { accepted, histories, refused } = record;
    const { deliveries } = receiver;
    const evidence: Evidence = {
      accepted,
      histories,
      refused,
      deliveries,
      ...stored,
      struck,
      stalls: watch.stalls,
      leaseMs,
      workers: stack.workers.length,
    };
    for (const [name, cases] of checkAll(evidence)) broken.set(name, cases);
    logEvidence(stack, evidence, [...broken.values()].flat());
    return { evidence, broken, surprises: surprises(), seconds: Math.round((performance.now() - startedAt) / 1_000) };
  } finally {
    over.abort();
    watch.close();
    await receiver.close();
    await stack.close(surprises() > 0 || [...broken.values()].some((cases) => cases.length > 0));
  }
}

/** Waits until every run has ended and every callback was delivered, at most `settleMs`. */
export async function settle(databaseUrl: string): Promise<Awaited<ReturnType<typeof collectStored>>> {
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  try {
    const until = performance.now() + settleMs;
    while (performance.now() < until && (await countOpen(sql)) > 0) await sleep(250);
    return await collectStored(sql);
  } finally {
    await sql.end();
  }
}

async function countOpen(sql: pg.Pool): Promise<number> {
  const { rows } = await sql.query<{ open: number }>(
    `SELECT (SELECT count(*) FROM runs WHERE status IN ('scheduled', 'queued', 'running', 'suspended', 'interrupted'))::int
       + (SELECT count(*) FROM outbox WHERE status = 'pending')::int AS open`,
  );
  return rows[0]?.open ?? 0;
}

/** Writes the faults and the broken runs to the processes' log, so that a broken promise can be traced there. */
function logEvidence(
  { logFile }: ChaosStack,
  { struck, runs, transitions, transcripts, histories }: Evidence,
  broken: string[],
): void {
  for (const { fault, target, from, to } of struck) {
    const [start, end] = [new Date(from).toISOString(), new Date(to).toISOString()];
    appendFileSync(logFile, `nemesis ${fault} ${target} ${start} ${end}\n`);
  }
  const named = [...runs.keys()].filter((id) =>
    broken.some((sentence) => sentence.startsWith(`${id}:`) || sentence.startsWith(`${id} `)),
  );
  for (const id of named) {
    const of = { row: runs.get(id), transitions: transitions.get(id), transcript: transcripts.get(id) };
    const seen = histories.filter(({ run_id }) => run_id === id);
    appendFileSync(logFile, `evidence ${JSON.stringify({ ...of, histories: seen })}\n`);
  }
}
