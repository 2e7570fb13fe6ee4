import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { laxInt } from "../../shared/schemas/primitives.ts";
import { type JournalEntry, journalEntry } from "../../shared/schemas/run-history.ts";
import type { Continuation } from "../../shared/services/journal/continuation.ts";
import { type Entry, openEntry } from "../../shared/services/journal/entry.ts";
import { readEntries } from "../../shared/store/journal/read-journal.ts";
import { readAnswers } from "../../shared/store/runs/questions/read-answers.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

const journalQuery = z.object({
  limit: laxInt({ ge: 1, le: 1000 }).default(1000).meta({ description: "The largest number of things to return." }),
  after: laxInt({ ge: 0, le: 2_000_000_000 })
    .default(0)
    .meta({ description: "The page starts after the entry with this `place`: `last_place` of the previous page." }),
});

const continuedAs = z.object({
  leg: z.string().meta({ description: "What the keys begin with." }),
  input_payload: z.unknown().meta({ description: "Null: the run's own input." }),
});

export const getRunJournal = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/journal",
  name: "get_run_journal",
  area: "Runs",
  scope: "runs:write",
  summary: "A durable run's journal, with its results",
  description:
    "What `runfleet check --replay` replays against changed code: the results of the run's steps and waits, in the order in which they were kept. Failed tries that another one followed and recorded calls of models are left out.",
  request: { params: runParams, query: journalQuery },
  responses: {
    200: {
      description: "A page of entries",
      schema: z
        .object({
          data: z.array(journalEntry),
          answers: z.array(z.unknown()).meta({ description: "What people have answered to the run's questions." }),
          continued: continuedAs
            .nullable()
            .meta({ description: "With what the run has gone on (`continue_as`), and the journal has begun anew." }),
          has_more: z.boolean(),
          last_place: z.number().int().nullable(),
        })
        .meta({
          id: "RunJournal",
          example: { data: [exampleOf(journalEntry)], answers: [], continued: null, has_more: false, last_place: 1 },
        }),
    },
  },
  async handle({ db, config }: Pick<ApiContext, "db" | "config">, { params: { run_id }, query, caller }) {
    if (!(await readRunHandle(db, run_id, caller.owner))) throw notFound("run", run_id);
    const page = { run_id, after: query.after, limit: query.limit, with_calls: false };
    const begin = { run_id, after: 0, limit: 1, with_calls: true };
    const [stored, all, [first]] = await Promise.all([
      readEntries(db, page),
      readAnswers(db, run_id),
      readEntries(db, begin),
    ]);
    const continuation =
      first?.kind === "continued" ? (await openEntry(config.encryptionKeys, run_id, first)).continuation : undefined;
    const answers = [...all.values()].slice(continuation?.answers ?? 0);
    const continued = continuation ? toContinued(continuation) : null;
    const last_place = stored.at(-1)?.place ?? null;
    const next = last_place === null ? [] : await readEntries(db, { ...page, after: last_place, limit: 1 });
    const entries = await Promise.all(stored.map((entry) => openEntry(config.encryptionKeys, run_id, entry)));
    const data = entries.filter(({ kind }) => kind !== "try").map(toShown);
    return { status: 200, body: { data, answers, continued, has_more: next.length > 0, last_place } };
  },
});

const toContinued = ({ leg, input_payload }: Continuation): z.infer<typeof continuedAs> => ({
  leg,
  input_payload: JSON.parse(input_payload ?? "null"),
});

function toShown({ place, key, kind, name, branch, position, args, ok, result, error, signal }: Entry): JournalEntry {
  const call = { place, key, kind, name, branch, position, args, ok };
  return { ...call, result: result ?? null, error: error ?? null, signal: signal ?? null };
}
