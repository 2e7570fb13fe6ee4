import { type ErrorCode, errorKinds } from "../../shared/domain/errors/error-codes.ts";
import type { Operation } from "./define-operation.ts";

type Json = Record<string, unknown>;

const ofGuards: readonly ErrorCode[] = [
  "missing_key",
  "invalid_key",
  "key_in_url",
  "invalid_session",
  "session_not_counted",
  "missing_scope",
  "host_not_allowed",
  "rate_limited",
  "dependency_unavailable",
];
const ofBodies: readonly ErrorCode[] = [
  ...(["content_encoding_not_supported", "body_incomplete"] as const),
  ...(["payload_too_large", "too_many_bodies"] as const),
];

/** Returns the error codes that an operation may answer with: its declared ones, and those of all operations of its kind. */
export function errorsOf(operation: Operation<never>): Set<string> {
  const { method, scope, runToken, idempotent, request, rawBody, errors } = operation;
  return new Set([
    ...(scope === "public" ? [] : ofGuards),
    ...(scope === "public" ? [] : [runToken ? "run_not_found" : "run_token"]),
    ...(scope === "public" || method === "get" ? [] : ["deleted_meanwhile", "cross_site_request"]),
    ...(request.params ? ["malformed_url"] : []),
    ...(request.body || rawBody ? ofBodies : []),
    ...(idempotent ? ["request_in_progress"] : []),
    ...notFoundOf(operation),
    ...errors,
  ]);
}

/**
 * Returns the 404 code for the thing that the last parameter of the path names. None for a PUT, which may create the thing, and
 * none for an operation that declares its 404 codes itself.
 */
function notFoundOf({ method, path, errors }: Operation<never>): string[] {
  const thing = /.*\{(\w+?)(?:_id)?\}/.exec(path)?.[1];
  const code = `${thing}_not_found`;
  const known = (name: string) => Object.hasOwn(errorKinds.not_found.codes, name);
  return method !== "put" && known(code) && !errors.some(known) ? [code] : [];
}

/**
 * Returns an operation's error responses by HTTP status. A response is named for its codes. Operations with the same codes share
 * a response in `shared`, the responses of the document.
 */
export function describeErrors(operation: Operation<never>, shared: Map<string, Json>): Record<string, Json> {
  const codes = errorsOf(operation);
  const share = (listed: [code: string, meaning: string][]): Json => {
    const name = listed.map(([code]) => code).join(".");
    shared.set(name, errorResponse(listed));
    return refer(name);
  };
  const answers: Record<string, Json> = {};
  for (const { status, codes: meanings } of Object.values(errorKinds)) {
    const listed = Object.entries(meanings).filter(([code]) => codes.has(code));
    if (listed.length > 0) answers[status] = share(listed);
  }
  shared.set("any_other", {
    ...errorResponse(Object.entries(errorKinds.internal.codes)),
    description: "Any other fault",
  });
  return { ...answers, default: refer("any_other") };
}

const refer = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

const errorResponse = (listed: [code: string, meaning: string][]): Json => ({
  description: listed.map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join("\n"),
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: Object.fromEntries(
        listed.map(([code, detail]) => [code, { value: { detail, code, request_id: "req_019aa5f0c1d2" } }]),
      ),
    },
  },
});
