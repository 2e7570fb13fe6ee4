import { z } from "zod";
import { matchesFilter, type HookFilter } from "../../shared/domain/hook/filter.ts";
import type { HookDocument } from "../../shared/domain/hook/delivery.ts";
import { AppError, conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { newId } from "../../shared/platform/ids.ts";
import { seal } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { hookParams, hookReceipt } from "../../shared/schemas/hook.ts";
import { inputErrors } from "../../shared/services/inputs/send-input.ts";
import { acceptErrors } from "../../shared/services/runs/accept-run.ts";
import { insertDelivery, type KnownDelivery } from "../../shared/store/hooks/store-delivery.ts";
import { noteRefusal, type UnsealedHook, unsealHook } from "../../shared/store/hooks/unseal-hook.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { weighBody } from "../http/weigh-body.ts";
import { awaitRecord, type FollowedRun } from "../stream/respond-run.ts";
import type { RespondDeps } from "../stream/respond-sse.ts";
import { acceptDelivery, type AcceptDeliveryDeps } from "./accept-delivery.ts";
import { dedupeKeyOf, eventOf, handshakeOf, readDelivery } from "./read-delivery.ts";
import { type Headers, isSigned } from "./verify-signature.ts";

/** A sender gives up after 10 s or sooner. */
const receiveMs = 10_000;
/** Deliveries of one hook, signed or from one that needs no signature. */
const perMinute = 1_200;
/** The longest that a sender waits for a result. */
const resultMs = 25_000;

export const receiveHook = defineOperation({
  method: "post",
  path: "/hooks/{hook_id}",
  name: "receive_hook",
  area: "Hooks",
  scope: "public",
  audit: { none: "The delivery is the record, and its run's timeline names the hook." },
  ignores: "unknown_input",
  summary: "Deliver to a hook",
  description: `The address that a sender of webhooks gets. The signature is checked over the body's bytes, with the secret and in the scheme of the hook; its time may differ by five minutes. A body has at most ${requestLimits.input_bytes} bytes and arrives within ${receiveMs / 1000} s; a hook takes ${perMinute} deliveries a minute, and a body counts as one more for each 64 KiB. 202: a run was started, or the signal is kept. 200: nothing was to be started (a filter, a repeat, a ping, Slack's challenge, which is answered as text), or the run's result, if the hook responds with results. Repeats of a delivery start nothing and are answered with the first one's run.`,
  request: { params: hookParams, query: z.looseObject({}), headers: z.looseObject({}) },
  rawBody: { most_bytes: requestLimits.input_bytes, most_ms: receiveMs },
  errors: [
    "hook_not_found",
    "invalid_signature",
    "hook_paused",
    "hook_without_secret",
    "too_many_streams",
    ...inputErrors,
    ...acceptErrors,
  ],
  responses: {
    200: {
      description: "Nothing was started, or the result of the run",
      schema: z.union([hookReceipt, z.record(z.string(), z.unknown())]),
      example: exampleOf(hookReceipt),
    },
    202: { description: "The delivery has started a run, or is kept as a signal", schema: hookReceipt },
  },
  async handle(
    ctx: AcceptDeliveryDeps & RespondDeps & Pick<ApiContext, "config" | "guards">,
    { params: { hook_id }, query, headers, body, ip, traceparent, holdOpen, untilGone },
  ) {
    // The operation is public, so it is limited by address here.
    await ctx.guards.limiter.count(`ip:${ip}`);
    const hook = await unsealHook(ctx.db, ctx.config.encryptionKeys, hook_id);
    if (!hook) throw notFound("hook", hook_id);
    const sent = { headers: textsOf(headers), query: textsOf(query), body };
    await checkSender(ctx, hook, sent);
    await ctx.guards.limiter.count(`hook:${hook.id}`, { requests: 1 + weighBody({ bytes: body.length }), perMinute });
    const document = readDelivery(sent);
    const known = await storeDelivery(ctx, hook, document, body.length);
    const handshake = handshakeOf(hook.verify, document);
    if (handshake && handshake.text !== "") return textAnswer(handshake.text);
    const { id, run_id, status } = known;
    if (run_id === null || isDone(hook, status)) return { status: 200, body: receiptOf(known) };
    if (hook.respond === "result") holdOpen(`user:${hook.user_id}`);
    const delivery = { id, run_id, document, traceparent: traceparent ?? null, isReplay: false };
    const run = await acceptDelivery(ctx, hook, delivery);
    const result = await resultOf(ctx, hook, run, untilGone());
    return result ?? { status: 202, body: receiptOf({ ...known, run_id: run.run_id, status: "accepted" }) };
  },
});

/** A repeat of a delivery that has its run waits for the run's result where the hook responds with it. */
const isDone = ({ respond }: UnsealedHook, status: KnownDelivery["status"]): boolean =>
  status === "accepted" && respond === "accepted";

const receiptOf = ({ id, status, run_id, is_new }: KnownDelivery) => ({
  received: true as const,
  delivery_id: id,
  status,
  run_id,
  duplicate: !is_new,
});

/** Text that a browser doesn't take for a page. */
const textAnswer = (text: string) => ({ status: 200, content_type: "text/plain; charset=utf-8", text });

/** Returns the single texts of parsed headers or parameters. */
const textsOf = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );

type SignedRequest = { headers: Headers; body: Buffer };

/** Throws bad_request for a request that the sender hasn't signed, and conflict for a hook that takes none. */
async function checkSender(
  ctx: Pick<ApiContext, "db">,
  hook: UnsealedHook,
  { headers, body }: SignedRequest,
): Promise<void> {
  const refusal = refusalOf(hook, headers, body);
  if (!refusal) return;
  await noteRefusal(ctx.db, hook.id, refusal.code);
  throw refusal;
}

function refusalOf(hook: UnsealedHook, headers: Headers, body: Buffer): AppError | null {
  const { verify, rules, secrets, now, is_paused } = hook;
  if (verify !== "none" && secrets.length === 0)
    return conflict("hook_without_secret", "The hook has no secret yet. Set it with POST /v1/hooks/{hook_id}/rotate.");
  if (!isSigned(body, headers, { verify, signature: rules.signature, secrets, now }))
    return new AppError(
      "bad_request",
      "invalid_signature",
      "The signature is not one of this body by the hook's secret, or its time is more than five minutes from ours.",
    );
  return is_paused ? conflict("hook_paused", "The hook is paused. Send the delivery again later.") : null;
}

/** Stores a delivery, or finds the one that it repeats. The run's id is stored with it, before there is a run. */
function storeDelivery(
  { db, config }: Pick<ApiContext, "config" | "db">,
  hook: UnsealedHook,
  document: HookDocument,
  bytes: number,
): Promise<KnownDelivery> {
  const { verify, rules } = hook;
  const id = newId("delivery");
  const status = statusOf(hook, document);
  const starts = status === "pending";
  return insertDelivery(db, {
    id,
    hook_id: hook.id,
    dedupe_key: dedupeKeyOf(verify, rules.dedupe, document),
    event: eventOf(verify, document),
    status,
    run_id: starts ? newId("run") : null,
    bytes,
    sealed_request: starts ? seal(config.encryptionKeys, JSON.stringify(document), sealedFields.hookRequest(id)) : null,
  });
}

function statusOf({ verify, rules }: UnsealedHook, document: HookDocument): "pending" | "filtered" | "handshake" {
  if (handshakeOf(verify, document)) return "handshake";
  // What the schema has checked.
  return matchesFilter((rules.filter ?? {}) as HookFilter, document) ? "pending" : "filtered";
}

/** Returns a run's result as an answer. Null: the hook doesn't respond with it, or the run has not succeeded in time. Closes the tail. */
async function resultOf(deps: RespondDeps, hook: UnsealedHook, run: FollowedRun, gone: AbortSignal) {
  if (hook.respond === "accepted") {
    run.tail.close();
    return null;
  }
  const record = await awaitRecord(deps, run, {
    prefer: { waitMs: resultMs },
    untilGone: gone,
    owner: hook.user_id,
  });
  if (record.status !== "success") return null;
  const text = JSON.stringify(record.result_content ?? {});
  return { status: 200, content_type: "application/json; charset=utf-8", text, headers: { "X-Run-Id": run.run_id } };
}
