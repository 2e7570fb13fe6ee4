import { setTimeout as sleep } from "node:timers/promises";
import { closeInReverse, type Close } from "../../shared/platform/lifecycle/close-in-reverse.ts";
import type { Evidence } from "../check/evidence.ts";
import { checkAll } from "../check/invariants.ts";
import { publishAgents } from "../drive/agents.ts";
import { type ClientRecord, driveRuns } from "../drive/drive-runs.ts";
import { openReceiver } from "../drive/receiver.ts";
import type { Struck } from "../nemesis/nemesis.ts";
import { createRandom } from "../random.ts";
import type { Verdict } from "../report.ts";
import { settle } from "../run-chaos.ts";
import { watchStalls } from "../stack/watch-stalls.ts";
import { openHosts } from "./hosts.ts";
import { openSplitStack } from "./open-split-stack.ts";

export type PartitionOptions = {
  seed: number;
  clients: number;
  /** How often a host is cut off, the hosts in turn; how long a cut lasts, and how long at least all is whole before and after each. */
  cuts: number;
  cutMs: number;
  wholeMs: number;
};

/**
 * Drives runs through two hosts, each with an API and a worker, and cuts the hosts off in turn: from Postgres, from Redis, from
 * each other and from the clients. Waits until all runs have ended, and checks what was promised.
 */
export async function runPartition(options: PartitionOptions, signal: AbortSignal): Promise<Verdict> {
  const { seed, clients, cuts, cutMs, wholeMs } = options;
  const startedAt = performance.now();
  const opened: Close[] = [];
  const opens = <T extends { close(): Promise<void> | void }>(part: T): T => {
    opened.push(() => part.close());
    return part;
  };
  const over = new AbortController();
  const record: ClientRecord = { accepted: [], histories: [], refused: [], begun: 0 };
  const struck: Struck[] = [];
  try {
    const { address, hosts } = opens(await openHosts());
    const stack = opens(await openSplitStack(address, hosts));
    const receiver = opens(await openReceiver(createRandom(`${seed}/receiver`), address));
    const watch = opens(watchStalls());
    await publishAgents(stack.apiUrls[0]);
    const until = AbortSignal.any([signal, over.signal]);
    const driven = driveRuns(
      { seed, runs: Number.POSITIVE_INFINITY, clients, apiUrls: stack.apiUrls, receiver, signal: until },
      record,
    );
    /** All is whole for so long, and for as many runs that each client has two. */
    const stayWhole = async (): Promise<void> => {
      const enough = record.accepted.length + 2 * clients;
      await sleep(wholeMs, undefined, { signal }).catch(() => undefined);
      while (record.accepted.length < enough && !signal.aborted) await sleep(100);
    };
    await stayWhole();
    for (let nth = 0; nth < cuts && !signal.aborted; nth++) {
      const host = hosts[nth % 2 === 0 ? 0 : 1];
      const from = Date.now();
      await host.cut();
      await sleep(cutMs, undefined, { signal }).catch(() => undefined);
      await host.mend();
      const worker_id = stack.workers[nth % 2]?.workerId() ?? null;
      struck.push({ fault: "link_cut", target: host.name, worker_id, from, to: Date.now() });
      await stayWhole();
    }
    over.abort();
    await driven;
    const stored = await settle(stack.databaseUrl);
    const { accepted, histories, refused } = record;
    const evidence: Evidence = {
      accepted,
      histories,
      refused,
      deliveries: receiver.deliveries,
      ...stored,
      struck,
      stalls: watch.stalls,
      leaseMs: stack.leaseMs,
      workers: stack.workers.length,
    };
    const surprises = [...stack.apis, ...stack.workers].reduce((sum, member) => sum + member.surprises(), 0);
    const broken = checkAll(evidence);
    stack.keepLog(surprises > 0 || [...broken.values()].some((cases) => cases.length > 0));
    return { evidence, broken, surprises, seconds: Math.round((performance.now() - startedAt) / 1_000) };
  } finally {
    over.abort();
    await closeInReverse(opened);
  }
}
