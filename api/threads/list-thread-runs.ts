import { notFound } from "../../shared/domain/errors/app-error.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { runListQuery } from "../../shared/schemas/run-filter.ts";
import { runListItem } from "../../shared/schemas/run.ts";
import { threadParams } from "../../shared/schemas/thread.ts";
import { listRuns } from "../../shared/store/runs/read/list-runs.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listThreadRuns = defineOperation({
  method: "get",
  path: "/v1/threads/{thread_id}/runs",
  name: "list_thread_runs",
  area: "Threads",
  scope: "runs:read",
  summary: "A thread's runs, newest first",
  description: "The list of runs, of one thread.",
  request: { params: threadParams, query: runListQuery.omit({ thread_id: true }) },
  responses: { 200: { description: "A page of runs", schema: pageOf(runListItem) } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, query, caller }) {
    const thread = await readThread(db, thread_id, caller.owner);
    if (!thread) throw notFound("thread", thread_id);
    const { limit, after, order, since, ...filter } = query;
    // Runs of an earlier thread with the same id, which was deleted, do not belong to this thread.
    const made = new Date(thread.created_at);
    const within = { ...filter, thread_id, since: since && since > made ? since : made };
    return { status: 200, body: await listRuns(db, caller.owner, within, { limit, after, order }) };
  },
});
