import { matchesFilter, type HookFilter } from "../../shared/domain/hook/filter.ts";
import type { HookDocument } from "../../shared/domain/hook/delivery.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import { hookParams, hookTest, testHookBody } from "../../shared/schemas/hook.ts";
import { checkAcceptable } from "../../shared/services/runs/check-acceptable.ts";
import type { UnsealedHook } from "../../shared/store/hooks/unseal-hook.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { storedRefusal } from "./stored-refusal.ts";
import { openDelivery, openOwnHook } from "./owned-hook.ts";
import { dedupeKeyOf, eventOf, readDelivery } from "./read-delivery.ts";
import { requestOfDelivery } from "./request-of-delivery.ts";
import { type DeliveredSignal, signalOfDelivery } from "./signal-of-delivery.ts";

type Deps = Pick<ApiContext, "config" | "db" | "fleet" | "jsonSchemas" | "versions">;

export const testHook = defineOperation({
  method: "post",
  path: "/v1/hooks/{hook_id}/test",
  name: "test_hook",
  area: "Hooks",
  scope: "hooks:write",
  audit: { none: "It starts and changes nothing." },
  summary: "Show what a hook would make of a delivery",
  description:
    "Applies the hook's filter, map, dedupe, thread and signal to a request or to a delivery of before, and checks the run that it asks for. Nothing is started or stored, and no signature is needed. `body` is the JSON that the sender would send; a text is a body that is no JSON.",
  request: { params: hookParams, body: testHookBody },
  errors: ["hook_not_found", "delivery_not_found", "delivery_not_kept"],
  responses: { 200: { description: "What would come of it", schema: hookTest } },
  async handle(ctx: Deps, { params: { hook_id }, body: asked, caller }) {
    const hook = await openOwnHook(ctx, hook_id, caller.owner);
    const { delivery_id } = asked;
    const document = delivery_id == null ? documentOf(asked) : (await openDelivery(ctx, hook, delivery_id)).document;
    return { status: 200, body: await judge(ctx, hook, document) };
  },
});

type Asked = { headers: Record<string, string>; query: Record<string, string>; body?: unknown };

function documentOf({ headers, query, body = null }: Asked): HookDocument {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return readDelivery({ headers: Object.fromEntries(lower), query, body: bytes });
}

async function judge(ctx: Deps, hook: UnsealedHook, document: HookDocument) {
  const { verify, rules } = hook;
  const made = await tryRequest(ctx, hook, document);
  return {
    matched: matchesFilter((rules.filter ?? {}) as HookFilter, document),
    event: eventOf(verify, document),
    dedupe_key: dedupeKeyOf(verify, rules.dedupe, document),
    thread_id: made.request?.thread_id ?? null,
    input_payload: made.request?.input_payload ?? null,
    signal: made.signal,
    error: made.error,
  };
}

/** Returns the signal of a delivery or the request for its run, and why that would be refused now. */
async function tryRequest(ctx: Deps, hook: UnsealedHook, document: HookDocument) {
  const made: { request: ExecuteRequest | null; signal: DeliveredSignal | null } = { request: null, signal: null };
  try {
    made.signal = signalOfDelivery(hook.rules, document);
    if (made.signal) return { ...made, error: null };
    made.request = requestOfDelivery(hook, { id: "test", run_id: null }, document);
    await checkAcceptable(ctx, ctx.versions.resolveUncached, made.request, hook.user_id);
    return { ...made, error: null };
  } catch (fault) {
    const error = storedRefusal(fault);
    if (!error) throw fault;
    return { ...made, error };
  }
}
