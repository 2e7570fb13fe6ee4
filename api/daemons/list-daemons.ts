import { daemonRecord, daemonStatuses } from "../../shared/schemas/daemon.ts";
import { choice, clientId, pageOf, pageQuery } from "../../shared/schemas/primitives.ts";
import { listDaemons as readPage } from "../../shared/store/daemons/list-daemons.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listDaemons = defineOperation({
  method: "get",
  path: "/v1/daemons",
  name: "list_daemons",
  area: "Daemons",
  scope: "daemons:read",
  summary: "Daemons, newest first",
  description: "`first_id` and `last_id` of a page are agent ids.",
  request: {
    query: pageQuery.extend({
      status: choice(daemonStatuses).optional().meta({ description: "Only daemons with this status." }),
      user_id: clientId().optional().meta({ description: "Only daemons of this user." }),
    }),
  },
  responses: { 200: { description: "A page of daemons", schema: pageOf(daemonRecord, "agent_id") } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { status, user_id, ...page } = query;
    const { data, has_more } = await readPage(db, { status, user_id, owner: caller.owner }, page);
    const ids = { first_id: data[0]?.agent_id ?? null, last_id: data.at(-1)?.agent_id ?? null };
    return { status: 200, body: { data, has_more, ...ids } };
  },
});
