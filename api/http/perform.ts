import type { Act } from "../../shared/store/append-audit.ts";
import type { Caller } from "./caller.ts";
import type { AnyResult, Operation, OperationInput, RawBody, RequestSchemas } from "./define-operation.ts";
import type { Guards } from "./guards.ts";

type Input = OperationInput<RequestSchemas, RawBody>;

/** Calls the handler of an authorized request. A repeated request gets the stored answer; an audited one is recorded. */
export async function perform<C>(guards: Guards, ctx: C, operation: Operation<C>, input: Input): Promise<AnyResult> {
  const act = async (): Promise<AnyResult> => {
    const result = await operation.handle(ctx, input);
    const done = describeAct(operation, input, result);
    if (done) await guards.audit(done);
    return result;
  };
  const key = operation.idempotent ? textAt(input.headers, "idempotency-key") : null;
  if (key === null) return act();
  const { caller, params, query, body } = input;
  const user_id = caller.owner ?? textAt(body, "user_id") ?? caller.user_id;
  return guards.answerOnce({ user_id, route: operation.id, key }, { params, query, body }, act);
}

/**
 * Returns what the audit log says of a finished operation; null when it says nothing. The target's id is the path's
 * `{<kind>_id}`, else the answer's `<kind>_id` or `id`, else the caller's user.
 */
function describeAct<C>({ audit, name }: Operation<C>, input: Input, result: AnyResult): Act | null {
  if (audit === null || "none" in audit) return null;
  const made = "body" in result ? result.body : undefined;
  const detail = made === undefined ? {} : audit.detail(input, made);
  if (!detail) return null;
  const { caller, request_id, ip } = input;
  const { [`${audit.target}_id`]: named, ...params } = input.params ?? {};
  return {
    user_id: textAt(made, "user_id") ?? caller.owner ?? textAt(input.body, "user_id"),
    actor: caller.actor,
    action: name,
    target_type: audit.target,
    target_id: typeof named === "string" ? named : (idOf(audit.target, made) ?? caller.user_id),
    request_id,
    ip: ip ?? null,
    detail: { ...params, ...detail, ...sessionOf(caller) },
  };
}

const sessionOf = ({ session_id }: Caller): { session_id?: string } => (session_id === null ? {} : { session_id });

const idOf = (kind: string, made: unknown): string | null => textAt(made, `${kind}_id`) ?? textAt(made, "id");

/** Returns the text field `name` of a value that may be an object. */
function textAt(value: unknown, name: string): string | null {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : null;
  return typeof found === "string" ? found : null;
}
