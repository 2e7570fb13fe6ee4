import type { Evidence, RunRow, TransitionRow } from "../../../chaos/check/evidence.ts";
import type { AcceptedRun } from "../../../chaos/drive/drive-runs.ts";
import type { SeenEvent } from "../../../chaos/drive/history.ts";

const started = 1_000_000;
export const leaseMs = 3_000;

/** What ten runs leave behind when all goes well: the first one lost its worker once, and was watched by a reader that dropped. */
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
  for (let index = 0; index < 10; index += 1) addRun(evidence, `run-${index}`, index === 0);
  return evidence;
}

function addRun(evidence: Evidence, run_id: string, lost: boolean): void {
  const token = `token of ${run_id}`;
  const events = eventsOf(lost ? [1, 2] : [1]);
  const url = "http://receiver/";
  evidence.accepted.push({ ...planned, run_id, token, callback_url: url, asked: 1 });
  evidence.runs.set(run_id, rowOf(run_id, token, lost));
  evidence.transitions.set(run_id, movesOf(run_id, lost));
  evidence.transcripts.set(run_id, events);
  evidence.outbox.set(run_id, [{ id: `message of ${run_id}`, run_id, status: "delivered" }]);
  evidence.histories.push({ run_id, events: [...events], cuts: 1, breaks: 0, ended: true, oddities: [] });
  const delivery = { webhook_id: `message of ${run_id}`, run_id, run_status: "success", status: 200 };
  evidence.deliveries = [...evidence.deliveries, delivery];
}

const planned: Omit<AcceptedRun, "run_id" | "token" | "callback_url" | "asked"> = {
  agent: "chatty",
  n: 1,
  pause: 0,
  thread_id: null,
  callback: true,
  watched: false,
};

function rowOf(id: string, token: string, lost: boolean): RunRow {
  const counts = { attempt: lost ? 2 : 1, lost_attempts: lost ? 1 : 0, max_attempts: 3 };
  return { id, status: "success", ...counts, result_content: { token }, error_code: null };
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
