import { billingEventQuery, billingEventRecord } from "../../shared/schemas/billing-event-record.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listEvents } from "../../shared/store/billing/list-events.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listBillingEvents = defineOperation({
  method: "get",
  path: "/v1/billing/events",
  name: "list_billing_events",
  area: "Billing",
  scope: "admin",
  summary: "Signed events of the payment provider, newest first",
  description:
    "`?status=unreadable` lists the events that are kept aside because they could not be read, and `waiting` those whose user is not known yet. Events without a valid signature are never kept.",
  request: { query: billingEventQuery },
  responses: { 200: { description: "A page of events", schema: pageOf(billingEventRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query }) {
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await listEvents(db, filter, { limit, after, order }) };
  },
});
