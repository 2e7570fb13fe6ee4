import { pageOf } from "../../shared/schemas/primitives.ts";
import { webhookListQuery, webhookRecord } from "../../shared/schemas/webhook.ts";
import { listWebhooks as readPage } from "../../shared/store/webhooks/read-webhooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listWebhooks = defineOperation({
  method: "get",
  path: "/v1/webhooks",
  name: "list_webhooks",
  area: "Webhooks",
  scope: "notifications:read",
  summary: "Webhooks, newest first",
  description: "Secrets are not shown.",
  request: { query: webhookListQuery },
  responses: { 200: { description: "A page of webhooks", schema: pageOf(webhookRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, caller.owner, filter, { limit, after, order }) };
  },
});
