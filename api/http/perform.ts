import type { AnyResult, Operation, OperationInput, RawBody, RequestSchemas } from "./define-operation.ts";
import type { Guards } from "./guards.ts";

type Input = OperationInput<RequestSchemas, RawBody>;

/** Calls the handler of an authorized request. A repeated request gets the stored answer; an audited one is recorded. */
export async function perform<C>(guards: Guards, ctx: C, operation: Operation<C>, input: Input): Promise<AnyResult> {
  const act = async (): Promise<AnyResult> => {
    const result = await operation.handle(ctx, input);
    if (operation.audit !== null) await guards.audit(describeAct(operation, operation.audit, input, result));
    return result;
  };
  const key = operation.idempotent ? textAt(input.headers, "idempotency-key") : null;
  if (key === null) return act();
  const { caller, params, query, body } = input;
  const user_id = caller.owner ?? textAt(body, "user_id") ?? caller.user_id;
  return guards.answerOnce({ user_id, route: operation.id, key }, { params, query, body }, act);
}

function describeAct<C>(operation: Operation<C>, target_type: string, input: Input, result: AnyResult) {
  const made = "body" in result ? result.body : undefined;
  const { caller, params, request_id, ip } = input;
  return {
    user_id: textAt(made, "user_id") ?? caller.owner ?? textAt(input.body, "user_id"),
    actor: caller.actor,
    action: operation.name,
    target_type,
    target_id: textAt(params, `${target_type}_id`) ?? textAt(made, "id") ?? caller.user_id,
    request_id,
    ip: ip ?? null,
  };
}

/** Returns the text field `name` of a value that may be an object. */
function textAt(value: unknown, name: string): string | null {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : null;
  return typeof found === "string" ? found : null;
}
