import type { HookDocument } from "../../shared/domain/hook/delivery.ts";
import { fillText } from "../../shared/domain/hook/template.ts";
import { type ExecuteRequest, executeRequest } from "../../shared/schemas/execute-request.ts";
import { clientId, type JsonObject } from "../../shared/schemas/primitives.ts";
import type { UnsealedHook } from "../../shared/store/hooks/unseal-hook.ts";
import { faultAt, fillMap } from "./fill-map.ts";

type Hook = Pick<UnsealedHook, "id" | "agent_id" | "version" | "runtime_mode" | "rules">;

/** Where the run comes from. */
type Delivery = { id: string; run_id: string | null };

/** Returns the request for the run of a delivery. Throws ValidationFault where the delivery and the hook's rules give none. */
export function requestOfDelivery(hook: Hook, { id, run_id }: Delivery, document: HookDocument): ExecuteRequest {
  const { agent_id, version, runtime_mode } = hook;
  return {
    ...executeRequest.parse({ agent_id, version, runtime_mode, run_id }),
    input_payload: inputOf(hook.rules.map, document),
    thread_id: threadOf(hook.rules.thread, document),
    metadata: { hook_id: hook.id, hook_delivery_id: id },
  };
}

function inputOf(map: JsonObject | null, document: HookDocument): JsonObject {
  const { body } = document;
  if (map !== null) return fillMap(map, document);
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  return isObject ? (body as JsonObject) : { body };
}

function threadOf(template: string | null, document: HookDocument): string | null {
  const thread = template === null ? null : fillText(template, document);
  if (thread === null) return null;
  const read = clientId().safeParse(thread);
  if (read.success) return read.data;
  throw faultAt("thread", `The delivery gives the thread '${thread.slice(0, 100)}', which is no id.`);
}
