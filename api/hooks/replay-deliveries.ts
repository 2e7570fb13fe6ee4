import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { newId } from "../../shared/platform/ids.ts";
import { hookParams, mostReplayed, replayedDeliveries, replayHookBody } from "../../shared/schemas/hook.ts";
import { rangeFault } from "../../shared/schemas/redelivery.ts";
import { findDeliveries } from "../../shared/store/hooks/replayable-deliveries.ts";
import { readDeliveries } from "../../shared/store/hooks/list-hook-deliveries.ts";
import type { UnsealedHook } from "../../shared/store/hooks/unseal-hook.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { acceptDelivery, type AcceptDeliveryDeps } from "./accept-delivery.ts";
import { storedRefusal } from "./stored-refusal.ts";
import { openDelivery, openOwnHook } from "./owned-hook.ts";

export const replayHookDeliveries = defineOperation({
  method: "post",
  path: "/v1/hooks/{hook_id}/replay",
  name: "replay_hook_deliveries",
  area: "Hooks",
  scope: "hooks:write",
  idempotent: true,
  audit: "hook",
  summary: "Repeat one delivery, or all since a time",
  description: `Starts the runs of deliveries by the hook's rules of now, as after a fixed map or for deliveries that met a full queue. One that had started a run starts another one. With \`since\` those of a time and a status are repeated, oldest first, at most ${mostReplayed} a request: send \`last_id\` as \`after\` while the answer says \`has_more\`.`,
  request: { params: hookParams, body: replayHookBody },
  errors: ["hook_not_found", "delivery_not_found", "delivery_not_kept"],
  responses: { 202: { description: "The deliveries as they are now", schema: replayedDeliveries } },
  async handle(
    ctx: AcceptDeliveryDeps & Pick<ApiContext, "config">,
    { params: { hook_id }, body: asked, caller, traceparent },
  ) {
    const { delivery_id, since, until = null, status, after = null } = asked;
    if ((delivery_id == null) === (since == null)) throw new ValidationFault([rangeFault]);
    const hook = await openOwnHook(ctx, hook_id, caller.owner);
    const range = { since: since ?? new Date(0), until, status, after, limit: mostReplayed };
    const ids = delivery_id != null ? [delivery_id] : await findDeliveries(ctx.db, hook_id, range);
    for (const id of ids) await repeat(ctx, hook, id, traceparent ?? null);
    const rows = new Map((await readDeliveries(ctx.db, ids)).map((row) => [row.id, row]));
    const data = ids.flatMap((id) => rows.get(id) ?? []);
    return { status: 202, body: { data, has_more: ids.length === mostReplayed, last_id: ids.at(-1) ?? null } };
  },
});

/** Starts the run of a delivery once more. What refuses it is noted at the delivery. */
async function repeat(
  ctx: AcceptDeliveryDeps & Pick<ApiContext, "config">,
  hook: UnsealedHook,
  id: string,
  traceparent: string | null,
): Promise<void> {
  const { delivery, document } = await openDelivery(ctx, hook, id);
  const run_id = delivery.status === "accepted" ? null : delivery.run_id;
  const again = { id, run_id: run_id ?? newId("run"), document, traceparent, isReplay: true };
  try {
    (await acceptDelivery(ctx, hook, again)).tail.close();
  } catch (error) {
    if (!storedRefusal(error)) throw error;
  }
}
