import { createRandom } from "../random.ts";
import { followRun, type Reader } from "./follow-run.ts";
import { type History, newHistory } from "./history.ts";
import { type PlannedRun, planRun } from "./plan-run.ts";
import type { Receiver } from "./receiver.ts";
import { submitRun } from "./submit-run.ts";

export type AcceptedRun = PlannedRun & { callback_url: string | null; asked: number };

/** What the clients know at the end. */
export type ClientRecord = {
  accepted: AcceptedRun[];
  histories: History[];
  refused: string[];
  /** Runs that were begun, whatever their outcome. */
  begun: number;
};

export type DriveOptions = {
  seed: number;
  runs: number;
  clients: number;
  apiUrls: readonly [string, ...string[]];
  receiver: Receiver;
  signal: AbortSignal;
};

/** Every run must end within this time, whatever is broken meanwhile. */
const patienceMs = 180_000;

/** Runs the clients, each with one run after another, until all runs are done or `signal` aborts. */
export async function driveRuns(options: DriveOptions, record: ClientRecord): Promise<void> {
  const client = async (): Promise<void> => {
    while (record.begun < options.runs && !options.signal.aborted) {
      record.begun += 1;
      await driveRun(options, record.begun, record);
    }
  };
  await Promise.all(Array.from({ length: options.clients }, client));
}

async function driveRun({ seed, apiUrls, receiver }: DriveOptions, index: number, record: ClientRecord): Promise<void> {
  const random = createRandom(`${seed}/run/${index}`);
  const run = planRun(seed, index, random);
  const callback_url = run.callback ? receiver.url(random) : null;
  const reader: Reader = { apiUrls, random, deadline: performance.now() + patienceMs };
  const submission = await submitRun(reader, run, callback_url);
  if (submission.kind === "refused") {
    record.refused.push(`${run.run_id}: ${submission.why}`);
    return;
  }
  record.accepted.push({ ...run, callback_url, asked: submission.asked });
  const histories = [newHistory(run.run_id), ...(run.watched ? [newHistory(run.run_id)] : [])];
  record.histories.push(...histories);
  await Promise.all(
    histories.map((history, place) => followRun(reader, history, place === 0 ? submission : undefined)),
  );
}
