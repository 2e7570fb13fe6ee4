import { z } from "zod";
import { runStatuses } from "../domain/run/run-status.ts";

export const runTransition = z
  .object({
    attempt: z.number().int(),
    from: z.enum(runStatuses).nullable(),
    to: z.enum(runStatuses),
    actor: z.string().meta({ description: "client, worker or reconciler. For the first change: the run's origin." }),
    actor_id: z.string().nullable().meta({
      description: "Who asked for the change: a key's id, `open` or `bootstrap`. Null: the service itself.",
    }),
    reason: z.string().nullable(),
    at: z.string(),
  })
  .meta({
    id: "RunTransition",
    example: {
      attempt: 1,
      from: "queued",
      to: "running",
      actor: "worker",
      actor_id: null,
      reason: null,
      at: "2026-11-21T10:00:00.000Z",
    },
  });
export type RunTransition = z.infer<typeof runTransition>;

export const runLog = z
  .object({ id: z.string(), ts: z.string(), level: z.string(), stream: z.string(), message: z.string() })
  .meta({
    id: "RunLog",
    example: { id: "1-2", ts: "2026-11-21T10:00:00.000Z", level: "info", stream: "stderr", message: "one name given" },
  });
export type RunLog = z.infer<typeof runLog>;

export const runStep = z
  .object({
    place: z.number().int().meta({ description: "The order in which the run's steps were kept." }),
    key: z.string().meta({ description: "The same on every attempt, and of all tries of the step." }),
    name: z.string(),
    kind: z.enum(["step", "question", "timer", "signal", "messages", "url", "child"]),
    branch: z
      .string()
      .meta({ description: "Whose code did it: a task, a thread, a flow. Its parent's name is a prefix of it." }),
    position: z.number().int().meta({ description: "The number of the call in its branch." }),
    try: z.number().int(),
    state: z.enum(["done", "failed", "retried", "given_up"]).meta({
      description:
        "`retried`: another try follows. `failed`: the last try failed. `given_up`: the code stopped waiting for it.",
    }),
    error: z.string().nullable(),
    retry_at: z.string().nullable(),
    attempt: z
      .number()
      .int()
      .meta({ description: "The attempt of the run; 0: taken over from the run that was run again." }),
    at: z.string(),
  })
  .meta({
    id: "RunStep",
    example: {
      place: 1,
      key: "main/charge#1",
      name: "charge",
      kind: "step",
      branch: "main",
      position: 0,
      try: 1,
      state: "done",
      error: null,
      retry_at: null,
      attempt: 1,
      at: "2026-11-21T10:00:00.000Z",
    },
  });
export type RunStep = z.infer<typeof runStep>;

/** What a journal has kept of a call. */
export const journalEntry = z
  .object({
    place: z.number().int(),
    key: z.string(),
    kind: z
      .string()
      .meta({ description: "`step`, `question`, `timer`, `signal`, `late`, `messages`, `url` or `abandoned`." }),
    name: z.string(),
    branch: z.string(),
    position: z.number().int(),
    args: z.string().nullable().meta({ description: "A hash of the arguments." }),
    ok: z.boolean(),
    result: z.string().nullable().meta({ description: "JSON, as the agent's process wrote it." }),
    error: z.object({ type: z.string(), module: z.string(), message: z.string() }).nullable(),
    signal: z.string().nullable().meta({ description: "The name of the signal that ended the wait." }),
  })
  .meta({
    id: "JournalEntry",
    example: {
      ...{ place: 1, key: "main/charge#1", kind: "step", name: "charge", branch: "main", position: 0, args: null },
      ...{ ok: true, result: '{"id":"ch_1"}', error: null, signal: null },
    },
  });
export type JournalEntry = z.infer<typeof journalEntry>;
