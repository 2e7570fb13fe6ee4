import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { billingEventParams, billingEventRecord } from "../../shared/schemas/billing-event-record.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { readStoredEvent } from "../../shared/store/billing/list-events.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { reapplyEvent } from "./apply-event.ts";
import { toEvent } from "./to-event.ts";

const example = {
  ...exampleOf(billingEventRecord),
  ...{ status: "applied", object_id: "sub_1", customer_id: "cus_1", user_id: "ada", error: null },
  applied_at: "2026-11-22T09:00:00.000Z",
} as const;

export const reapplyBillingEvent = defineOperation({
  method: "post",
  path: "/v1/billing/events/{event_id}/reapply",
  name: "reapply_billing_event",
  area: "Billing",
  scope: "admin",
  audit: { target: "event", detail: (_input, { status }) => ({ status }) },
  summary: "Read and apply a stored event again",
  description:
    "For an event that was kept aside, once a release that reads it is installed, and for one that waits for its user. Applying an event again changes nothing twice. An event that still can't be read is a 409, which says why.",
  request: { params: billingEventParams },
  errors: ["billing_event_not_found", "event_unreadable"],
  responses: { 200: { description: "The event, and what became of it", schema: billingEventRecord, example } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { event_id } }) {
    const stored = await readStoredEvent(db, event_id);
    if (!stored) throw notFound("billing_event", event_id);
    const event = toEvent(stored.payload, new Date(stored.record.created));
    if (!event || event.error !== null)
      throw conflict("event_unreadable", `The event still can't be read: ${event?.error ?? "it has no id"}`);
    await reapplyEvent(db, event);
    const body = (await readStoredEvent(db, event_id))?.record;
    if (!body) throw notFound("billing_event", event_id);
    return { status: 200, body };
  },
});
