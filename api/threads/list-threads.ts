import { pageOf } from "../../shared/schemas/primitives.ts";
import { threadListQuery, threadRecord } from "../../shared/schemas/thread.ts";
import { listThreads as readPage } from "../../shared/store/threads/list-threads.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listThreads = defineOperation({
  method: "get",
  path: "/v1/threads",
  name: "list_threads",
  area: "Threads",
  scope: "threads:read",
  summary: "Threads, newest first",
  description: "Use it to show a user's conversations.",
  request: { query: threadListQuery },
  responses: { 200: { description: "A page of threads", schema: pageOf(threadRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
