import type { Evidence, RunRow, TransitionRow } from "../../../chaos/check/evidence.ts";
import type { AcceptedRun } from "../../../chaos/drive/drive-runs.ts";
import type { SeenEvent } from "../../../chaos/drive/history.ts";

const started = 1_000_000;
export const leaseMs = 3_000;

/**
 * What ten runs leave behind when all goes well: the first one lost its worker once, and was watched by a reader that dropped; the last
 * one is durable, and was suspended once.
 */
export function soundEvidence(): Evidence {
  const evidence: Evidence = {
    accepted: [],
    histories: [],
    refused: [],
    deliveries: [],
    runs: new Map(),
    transitions: new Map(),
    transcripts: new Map(),
    outbox: new Map(),
    struck: [{ fault: "worker_kill", target: "worker-1", worker_id: "w1", from: started + 100, to: started + 900 }],
    stalls: [],
    leaseMs,
    workers: 3,
  };
  for (let index = 0; index < 9; index += 1) addRun(evidence, `run-${index}`, { lost: index === 0, agent: "chatty" });
  addRun(evidence, "run-9", { lost: false, agent: "durable" });
  return evidence;
}

function addRun(
  evidence: Evidence,
  run_id: string,
  { lost, agent }: Pick<AcceptedRun, "agent"> & { lost: boolean },
): void {
  const token = `token of ${run_id}`;
  const events = agent === "durable" ? durableEvents(token) : eventsOf(lost ? [1, 2] : [1]);
  const url = "http://receiver/";
  evidence.accepted.push({ ...planned, agent, run_id, token, callback_url: url, asked: 1 });
  evidence.runs.set(run_id, rowOf(run_id, token, lost));
  evidence.transitions.set(run_id, movesOf(run_id, lost));
  evidence.transcripts.set(run_id, events);
  evidence.outbox.set(run_id, [{ id: `message of ${run_id}`, run_id, status: "delivered" }]);
  evidence.histories.push({ run_id, events: [...events], cuts: 1, breaks: 0, ended: true, oddities: [] });
  const delivery = { webhook_id: `message of ${run_id}`, run_id, run_status: "success", status: 200 };
  evidence.deliveries = [...evidence.deliveries, delivery];
}

const planned: Omit<AcceptedRun, "agent" | "run_id" | "token" | "callback_url" | "asked"> = {
  n: 1,
  pause: 0,
  thread_id: null,
  callback: true,
  watched: false,
};

function rowOf(id: string, token: string, lost: boolean): RunRow {
  const counts = { attempt: lost ? 2 : 1, lost_attempts: lost ? 1 : 0, max_attempts: 3 };
  return { id, status: "success", ...counts, result_content: { token, done: [0] }, error_code: null };
}

function movesOf(run_id: string, lost: boolean): TransitionRow[] {
  const moves: [string, string | null, number][] = lost
    ? [
        ["queued", null, 0],
        ["running", "w1", 50],
        ["queued", "worker_lost", 3_600],
        ["running", "w2", 3_700],
        ["success", null, 3_800],
      ]
    : [
        ["queued", null, 0],
        ["running", "w2", 50],
        ["success", null, 90],
      ];
  return moves.map(([to, reason, ms], place) => ({
    run_id,
    from: moves[place - 1]?.[0] ?? null,
    to,
    reason,
    at_ms: started + ms,
  }));
}

function eventsOf(attempts: number[]): SeenEvent[] {
  const events: SeenEvent[] = [{ id: "0-1", type: "run.queued", data: "{}" }];
  for (const attempt of attempts) {
    const discards = attempt > 1 ? { discards: { attempt: attempt - 1 } } : {};
    events.push({ id: `${attempt}-1`, type: "run.started", data: JSON.stringify(discards) });
    events.push({ id: `${attempt}-2`, type: "output.delta", data: '{"content":"a"}' });
  }
  events.push({ id: `${attempts.at(-1)}-3`, type: "run.success", data: "{}" });
  return events;
}

/** A step, what was said after it, and the same said again when the run went on from the step. */
function durableEvents(token: string): SeenEvent[] {
  const said = { type: "output.delta", data: JSON.stringify({ content: `${token} 0` }) };
  const step = { key: "main/work#1" };
  return [
    { id: "0-1", type: "run.queued", data: "{}" },
    { id: "1-1", type: "run.started", data: "{}" },
    { id: "1-2", type: "step.start", data: JSON.stringify(step) },
    { id: "1-3", type: "step.end", data: JSON.stringify({ ...step, ok: true }) },
    { id: "1-4", ...said },
    { id: "1-5", type: "run.suspended", data: "{}" },
    { id: "2-1", type: "run.started", data: JSON.stringify({ keeps: "1-3" }) },
    { id: "2-2", ...said },
    { id: "2-3", type: "run.success", data: "{}" },
  ];
}
