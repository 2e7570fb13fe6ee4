import { type ExecuteRequest, executeRequest } from "../../shared/schemas/execute-request.ts";
import { parseRequest } from "../http/parse-request.ts";

/** Returns the request that a protocol's request becomes, checked as that of POST /v1/execute. Throws ValidationFault. */
export function readExecuteRequest(asked: Record<string, unknown>): ExecuteRequest {
  const schemas = { request: { body: executeRequest }, ignores: "nothing" } as const;
  const { body } = parseRequest(schemas, { params: {}, query: {}, headers: {}, body: asked });
  return body as ExecuteRequest;
}
