import { expect, test } from "vitest";
import type { Evidence } from "../../../chaos/check/evidence.ts";
import { checkAll } from "../../../chaos/check/invariants.ts";
import { listRecoveries } from "../../../chaos/check/recovery.ts";
import { leaseMs, soundEvidence } from "./sound-evidence.ts";

const brokenBy = (evidence: Evidence): string[] =>
  [...checkAll(evidence)].filter(([, cases]) => cases.length > 0).map(([name]) => name);

test("evidence of a stack that kept all its promises breaks none", () => {
  expect(brokenBy(soundEvidence())).toEqual([]);
  expect(listRecoveries(soundEvidence())).toEqual([{ run_id: "run-0", ms: 3_500, undisturbed: true }]);
});

/** The run that lost its worker, and one that didn't; the parts of both. */
const of = ({ runs, transitions, transcripts, histories, outbox }: Evidence, id: "run-0" | "run-1") => {
  const [row, moves, transcript, owed] = [runs, transitions, transcripts, outbox].map((map) => map.get(id)) as [
    NonNullable<ReturnType<Evidence["runs"]["get"]>>,
    NonNullable<ReturnType<Evidence["transitions"]["get"]>>,
    NonNullable<ReturnType<Evidence["transcripts"]["get"]>>,
    NonNullable<ReturnType<Evidence["outbox"]["get"]>>,
  ];
  const history = histories.find(({ run_id }) => run_id === id);
  if (!history) throw new Error(`no history of ${id}`);
  return { row, moves, transcript, owed, history };
};

/** An event of the durable run, as its transcript and its reader have it. */
const eventsOf = ({ transcripts, histories }: Evidence, id: string) =>
  [transcripts.get("run-9"), histories.find(({ run_id }) => run_id === "run-9")?.events].flatMap((events = []) =>
    events.filter((event) => event.id === id),
  );

/** Takes the durable run back to the queue once, before all that it did. */
const loseOnce = (transitions: Evidence["transitions"]) => {
  const move = { run_id: "run-9", at_ms: 0 };
  transitions
    .get("run-9")
    ?.splice(
      2,
      0,
      { ...move, from: "running", to: "queued", reason: "worker_lost" },
      { ...move, from: "queued", to: "running", reason: "w2" },
    );
};

/** Lets run-1 end with an error, as everybody sees it. */
const failWith = (evidence: Evidence, error_code: string) => {
  const { row, moves, transcript, history } = of(evidence, "run-1");
  Object.assign(row, { status: "error", error_code });
  Object.assign(moves.at(-1) ?? {}, { to: "error" });
  for (const events of [transcript, history.events]) events.splice(-1, 1, { id: "1-3", type: "run.error", data: "{}" });
  evidence.deliveries = evidence.deliveries.map((one) =>
    one.run_id === "run-1" ? { ...one, run_status: "error" } : one,
  );
};

const planted: [string, string[], (evidence: Evidence) => void][] = [
  ["an accepted run that isn't there", ["acceptedRunsEnd"], ({ runs }) => runs.delete("run-1")],
  [
    "an accepted run that never ended",
    ["acceptedRunsEnd", "failuresAreExplained", "callbacksArrive"],
    (evidence) => {
      const { row, moves } = of(evidence, "run-1");
      row.status = "running";
      moves.pop();
    },
  ],
  ["a client that was refused", ["acceptedRunsEnd"], ({ refused }) => refused.push("run-99: 500")],
  [
    "a run that ended twice",
    ["runsEndOnce"],
    (evidence) => {
      const { moves } = of(evidence, "run-1");
      moves.push({ run_id: "run-1", from: "success", to: "success", reason: null, at_ms: 0 });
    },
  ],
  [
    "a run that was claimed while it ran",
    ["movesFollowEachOther"],
    (evidence) => {
      const { moves } = of(evidence, "run-1");
      moves.splice(2, 0, { run_id: "run-1", from: "queued", to: "running", reason: "w3", at_ms: 0 });
    },
  ],
  [
    "a hole in a transcript",
    ["transcriptsAreWhole"],
    (evidence) => {
      const { transcript, history } = of(evidence, "run-1");
      transcript.splice(2, 1);
      history.events = history.events.map((event) => (event.id === "1-2" ? { ...event, type: "gap" } : event));
    },
  ],
  [
    "two terminal events",
    ["transcriptsAreWhole"],
    (evidence) => {
      const { transcript, history } = of(evidence, "run-1");
      for (const events of [transcript, history.events]) events.push({ id: "1-4", type: "run.success", data: "{}" });
    },
  ],
  [
    "a client that missed an event",
    ["historiesAreGapless", "historiesEqualTranscripts"],
    (evidence) => of(evidence, "run-1").history.events.splice(2, 1),
  ],
  [
    "a gap that hides an event which the transcript has",
    ["historiesEqualTranscripts"],
    (evidence) => {
      const { history } = of(evidence, "run-1");
      history.events.splice(2, 2, { id: "1-3", type: "gap", data: "{}" });
    },
  ],
  [
    "a client that saw an event twice",
    ["historiesAreGapless"],
    (evidence) => {
      const { events } = of(evidence, "run-1").history;
      events.splice(2, 0, ...events.slice(2, 3));
    },
  ],
  [
    "a client that saw two events in the wrong order",
    ["historiesAreGapless"],
    (evidence) => {
      const { events } = of(evidence, "run-0").history;
      events.splice(1, 2, ...events.slice(1, 3).reverse());
    },
  ],
  [
    "a client that saw another text",
    ["historiesEqualTranscripts"],
    (evidence) => {
      const { events } = of(evidence, "run-1").history;
      events.splice(2, 1, { id: "1-2", type: "output.delta", data: '{"content":"b"}' });
    },
  ],
  [
    "a client that saw what no store kept, though nothing happened to Redis",
    ["historiesEqualTranscripts"],
    (evidence) => of(evidence, "run-0").transcript.splice(2, 1),
  ],
  [
    "a client whose stream never ended",
    ["historiesAreGapless"],
    (evidence) => (of(evidence, "run-1").history.ended = false),
  ],
  [
    "a client that was told 404 of its run",
    ["historiesAreGapless"],
    (evidence) => of(evidence, "run-1").history.oddities.push("resuming was answered 404"),
  ],
  [
    "a second attempt that doesn't say what it discards",
    ["historiesAreGapless"],
    (evidence) => {
      const { transcript, history } = of(evidence, "run-0");
      for (const events of [transcript, history.events])
        events.splice(3, 1, { id: "2-1", type: "run.started", data: "{}" });
    },
  ],
  [
    "another run's result",
    ["resultsBelongToTheirRuns"],
    (evidence) => (of(evidence, "run-1").row.result_content = { token: "token of run-2" }),
  ],
  [
    "a step that ran again after its end",
    ["durableRunsGoOn"],
    (evidence) => {
      for (const event of eventsOf(evidence, "2-2"))
        Object.assign(event, { type: "step.start", data: '{"key":"main/work#1"}' });
    },
  ],
  [
    "a durable run that says twice what stands",
    ["durableRunsGoOn"],
    (evidence) => {
      for (const event of eventsOf(evidence, "2-1")) event.data = '{"keeps":"1-5"}';
    },
  ],
  [
    "a durable run that lost a step's result",
    ["durableRunsGoOn"],
    ({ runs }) => Object.assign(runs.get("run-9") ?? {}, { result_content: { token: "token of run-9", done: [] } }),
  ],
  ["a failure of our own", ["failuresAreExplained"], (evidence) => failWith(evidence, "sandbox_unavailable")],
  [
    "a run that was given up at its first loss",
    ["failuresAreExplained"],
    (evidence) => failWith(evidence, "worker_lost"),
  ],
  [
    "a success of an agent that can only fail",
    ["resultsBelongToTheirRuns"],
    ({ accepted }) => Object.assign(accepted.find(({ run_id }) => run_id === "run-1") ?? {}, { agent: "failing" }),
  ],
  [
    "a callback that never came",
    ["callbacksArrive"],
    (evidence) => (evidence.deliveries = evidence.deliveries.filter(({ run_id }) => run_id !== "run-1")),
  ],
  [
    "a callback under two ids",
    ["callbacksArrive"],
    (evidence) =>
      (evidence.deliveries = [
        ...evidence.deliveries,
        { webhook_id: "another", run_id: "run-1", run_status: "success", status: 200 },
      ]),
  ],
  [
    "two callbacks owed",
    ["callbacksArrive"],
    (evidence) => of(evidence, "run-1").owed.push({ id: "b", run_id: "run-1", status: "delivered" }),
  ],
  [
    "a callback that told another end",
    ["callbacksArrive"],
    (evidence) =>
      (evidence.deliveries = evidence.deliveries.map((one) =>
        one.run_id === "run-1" ? { ...one, run_status: "error" } : one,
      )),
  ],
  [
    "a callback that nobody asked for",
    ["callbacksArrive"],
    ({ accepted }) => Object.assign(accepted.find(({ run_id }) => run_id === "run-1") ?? {}, { callback_url: null }),
  ],
  ["a loss of a durable run that was not charged", ["lossesAreCharged"], ({ transitions }) => loseOnce(transitions)],
  ["a loss that was not charged", ["lossesAreCharged"], (evidence) => (of(evidence, "run-0").row.lost_attempts = 0)],
  [
    "a lost run that came back late",
    ["lostRunsReturnInTime"],
    (evidence) => {
      for (const move of of(evidence, "run-0").moves.slice(2)) move.at_ms += leaseMs;
    },
  ],
  ["no fault at all", ["enoughHappened"], (evidence) => (evidence.struck = [])],
  ["no reader that dropped", ["enoughHappened"], ({ histories }) => histories.forEach((one) => (one.cuts = 0))],
  [
    "hardly any success",
    ["enoughHappened"],
    ({ accepted, runs }) => {
      for (const { run_id } of accepted.slice(3))
        Object.assign(runs.get(run_id) ?? {}, { status: "error", error_code: "worker_lost" });
    },
  ],
];

test.each(planted)("the checker finds %s", (_what, names, plant) => {
  const evidence = soundEvidence();
  plant(evidence);
  expect(brokenBy(evidence)).toEqual(expect.arrayContaining(names));
});

test("what Redis lost of a discarded attempt, and what the machine's stall delayed, are no broken promises", () => {
  const lossy = soundEvidence();
  lossy.struck.push({ fault: "redis_flush", target: "redis", worker_id: null, from: 1_000_100, to: 1_000_200 });
  of(lossy, "run-0").transcript.splice(1, 2);
  expect(brokenBy(lossy)).toEqual([]);
  const late = soundEvidence();
  late.struck.push({ fault: "redis_freeze", target: "redis", worker_id: null, from: 1_000_100, to: 1_000_200 });
  of(late, "run-0").history.events.splice(1, 2);
  expect(brokenBy(late)).toEqual([]);
  of(late, "run-0").history.events.splice(2, 1, { id: "2-2", type: "gap", data: "{}" });
  expect(brokenBy(late)).toEqual(["historiesEqualTranscripts"]);
  const stalled = soundEvidence();
  stalled.stalls = [{ from: 1_002_000, to: 1_004_000 }];
  for (const move of of(stalled, "run-0").moves.slice(2)) move.at_ms += leaseMs;
  expect(brokenBy(stalled)).toEqual([]);
});

test("a run that lost its last worker, and one that was suspended after a loss, break no promise", () => {
  const exhausted = soundEvidence();
  failWith(exhausted, "worker_lost");
  Object.assign(of(exhausted, "run-1").row, { lost_attempts: 0, max_attempts: 1 });
  expect(brokenBy(exhausted)).toEqual([]);
  const suspended = soundEvidence();
  loseOnce(suspended.transitions);
  const move = { run_id: "run-9", reason: null, at_ms: 0 };
  suspended.transitions
    .get("run-9")
    ?.splice(
      4,
      0,
      { ...move, from: "running", to: "suspended" },
      { ...move, from: "suspended", to: "queued" },
      { ...move, from: "queued", to: "running", reason: "w2" },
    );
  expect(brokenBy(suspended)).toEqual([]);
});
