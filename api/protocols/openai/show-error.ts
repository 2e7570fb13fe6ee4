import type { Refusal, ShownRefusal } from "../../http/protocol.ts";

/** OpenAI's words for our codes. */
const codes: Record<string, string> = {
  missing_key: "invalid_api_key",
  invalid_key: "invalid_api_key",
  agent_not_found: "model_not_found",
  version_not_found: "model_not_found",
  run_not_found: "response_not_found",
  validation_error: "invalid_value",
};

/** The type of a fault that OpenAI has a code for. */
export const previousNotFound = "previous_response_not_found";

/** OpenAI's statuses for ours: a request that is not valid is a 400 there, and a quota that is used up a 429. */
const statuses: Record<number, number> = { 402: 429, 422: 400 };

/** Shows an error as OpenAI does, so that its libraries throw the right class, and retry only what another try may change. */
export function showError({ status: ours, code, message: sentence, faults }: Refusal): ShownRefusal {
  const status = statuses[ours] ?? ours;
  const [fault] = faults;
  const message = fault?.type === previousNotFound ? fault.msg : sentence;
  const word = fault?.type === previousNotFound ? previousNotFound : (codes[code] ?? code);
  const shown = { message, type: typeOf(status), param: paramOf(code, fault?.loc), code: word };
  const isFinal = status === 409 || ours === 402;
  return { status, body: { error: shown }, headers: isFinal ? { "x-should-retry": "false" } : {} };
}

function typeOf(status: number): string {
  if (status >= 500) return "server_error";
  if (status === 429) return "rate_limit_exceeded";
  return status === 409 ? "conflict" : "invalid_request_error";
}

function paramOf(code: string, loc: (string | number)[] | undefined): string | null {
  if (codes[code] === "model_not_found") return "model";
  // Without the part of the request, such as `body`.
  return loc === undefined || loc.length < 2 ? null : loc.slice(1).join(".");
}
