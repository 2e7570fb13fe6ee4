import { z } from "zod";
import type { Try } from "./fuzz-requests.ts";

/** What came back. A status of 0: nothing did, and `type` says why. A `text` of null: a stream that was let go. */
export type Sent = { status: number; type: string; text: string | null };

/** A part that a test's stack does not have says so with a 503; nothing else may. */
const absent =
  /^(no_worker|lifecycle_unavailable|no_payment_provider|no_webhook_secret|queue_full|leaving|worker_gone)$/i;

const openaiError = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string(),
  }),
});
const langgraphError = z.union([
  z.strictObject({ detail: z.string().min(1), code: z.string(), request_id: z.string() }),
  z.strictObject({
    detail: z
      .array(z.looseObject({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }))
      .min(1),
  }),
]);
const rpcError = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.strictObject({ code: z.number().int(), message: z.string().min(1), data: z.unknown().optional() }),
});
const rpcAnswer = z.union([
  rpcError,
  z.strictObject({ jsonrpc: z.literal("2.0"), id: z.union([z.string(), z.number()]), result: z.unknown() }),
]);

const internalError = -32603;

/** Returns why an answer is none of the protocol whose path was asked. Null: it is one. */
export function faultOfAnswer({ path }: Pick<Try, "path">, { status, type, text }: Sent): string | null {
  if (status === 0) return type;
  const fault = (why: string): string => `${status} ${type}: ${why}: ${text}`;
  if (text === null) return status === 200 ? null : fault("a stream");
  if (status >= 500 && !(status === 503 && absent.test(codeOf(text)))) return fault("a server's error");
  if (/^\/(ai-sdk|ag-ui)\//.test(path)) {
    if (status < 400) return null;
    return type.startsWith("text/plain") && text !== "" ? null : fault("no sentence");
  }
  const isRpc = /^\/(a2a|mcp)\b/.test(path);
  if (text === "") return status < 300 ? null : fault("an error without a body");
  if (!type.startsWith("application/json")) return fault("no JSON");
  const body = parse(text);
  if (body === undefined) return fault("no JSON");
  if (status < 400 && !isRpc) return null;
  const isCard = status === 200 && path.includes("/.well-known/");
  if (isCard) return null;
  const shape = isRpc
    ? status < 400
      ? rpcAnswer
      : rpcError
    : path.startsWith("/openai")
      ? openaiError
      : langgraphError;
  const read = shape.safeParse(body);
  if (!read.success) return fault(z.prettifyError(read.error));
  return isRpc && rpcError.safeParse(body).data?.error.code === internalError ? fault("a server's error") : null;
}

/** Returns the code of an error in any of the protocols. */
function codeOf(text: string): string {
  const found = /"(?:code|reason)":"(\w+)"/.exec(text);
  return found?.[1] ?? "";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
