import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { laxInt } from "../../shared/schemas/primitives.ts";
import { type RunStep, runStep } from "../../shared/schemas/run-history.ts";
import { type Entry, openEntry } from "../../shared/services/journal/entry.ts";
import { readEntries, type StoredEntry } from "../../shared/store/journal/read-journal.ts";
import { readRunHandle } from "../../shared/store/runs/moves/request-cancel.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

const stepsQuery = z.object({
  limit: laxInt({ ge: 1, le: 1000 }).default(100).meta({ description: "The largest number of things to return." }),
  after: laxInt({ ge: 0, le: 2_000_000_000 })
    .default(0)
    .meta({ description: "The page starts after the step with this `place`: `last_place` of the previous page." }),
});

export const listRunSteps = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/steps",
  name: "list_run_steps",
  area: "Runs",
  scope: "runs:read",
  runToken: true,
  summary: "A durable run's steps, with their tries",
  description:
    "What the run's journal has: each step that has ended, and each try that another one follows. Results are not shown. A step that is under way is in the stream only.",
  request: { params: runParams, query: stepsQuery },
  responses: {
    200: {
      description: "A page of tries, in the order in which they were kept",
      schema: z
        .object({ data: z.array(runStep), has_more: z.boolean(), last_place: z.number().int().nullable() })
        .meta({ id: "RunSteps", example: { data: [exampleOf(runStep)], has_more: false, last_place: 1 } }),
    },
  },
  async handle({ db, config }: Pick<ApiContext, "db" | "config">, { params: { run_id }, query, caller }) {
    if (!(await readRunHandle(db, run_id, caller.owner))) throw notFound("run", run_id);
    const found = await readEntries(db, { run_id, after: query.after, limit: query.limit + 1, with_calls: false });
    const shown = found.slice(0, query.limit);
    const last_place = shown.at(-1)?.place ?? null;
    const isFull =
      last_place !== null && (await hasMore(db, { run_id, after: last_place }, found.length > shown.length));
    const data = await Promise.all(
      shown.map(async (stored) => toStep(stored, await openEntry(config.encryptionKeys, run_id, stored))),
    );
    return { status: 200, body: { data, has_more: isFull, last_place } };
  },
});

/** A page may end early, at its bytes. */
const hasMore = async (
  db: ApiContext["db"],
  next: { run_id: string; after: number },
  isSeen: boolean,
): Promise<boolean> => isSeen || (await readEntries(db, { ...next, limit: 1, with_calls: false })).length > 0;

/** What an entry is of, where it is of no step. A wait for a signal may have ended late. */
const kinds: Readonly<Record<string, RunStep["kind"]>> = {
  question: "question",
  timer: "timer",
  signal: "signal",
  late: "signal",
  messages: "messages",
  url: "url",
  child: "child",
  child_failed: "child",
  started: "child",
};

/** Kinds of entries that are no results. */
const endings: Readonly<Record<string, RunStep["state"]>> = { try: "retried", abandoned: "given_up" };

function toStep({ created_at }: StoredEntry, entry: Entry): RunStep {
  const { place, key, name, kind, branch, position, attempt, ok, error, retry_at } = entry;
  return {
    place,
    key,
    name,
    kind: kinds[kind] ?? "step",
    branch,
    position,
    try: entry.try,
    state: endings[kind] ?? (ok ? "done" : "failed"),
    error: !ok && error ? `${error.type}: ${error.message}` : null,
    retry_at: retry_at === undefined ? null : new Date(retry_at).toISOString(),
    attempt,
    at: created_at.toISOString(),
  };
}
