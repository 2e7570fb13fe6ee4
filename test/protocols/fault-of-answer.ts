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

/** The errors of protocols whose clients show the body as it is. */
const sentence = z.string().min(1);
const isInternal = z.object({ error: z.object({ code: z.literal(-32603) }) });

/** Returns why an answer is none of the protocol whose path was asked. Null: it is one. */
export function faultOfAnswer({ path }: Pick<Try, "path">, { status, type, text }: Sent): string | null {
  if (status === 0) return type;
  const fault = (why: string): string => `${status} ${type}: ${why}: ${text}`;
  if (text === null) return status === 200 ? null : fault("a stream");
  if (status >= 500 && !mayFail(path, status, codeOf(text))) return fault("a server's error");
  const why = text === "" && status < 300 ? null : faultOfBody(shapeOf(path, status), type, text);
  return why === null ? null : fault(why);
}

/** What a run fails with by its agent's fault. A generated agent may have no code. */
const ofAgent = new Set(["agent_error", "no_entrypoint", "bad_entrypoint"]);

/** True for a part that is absent, and for a chat completion whose run failed. */
function mayFail(path: string, status: number, code: string): boolean {
  if (status === 503) return absent.test(code);
  return status === 500 && path.startsWith("/openai/v1/chat/completions") && ofAgent.has(code);
}

function faultOfBody(shape: z.ZodType, type: string, text: string): string | null {
  if (shape === sentence) return type.startsWith("text/plain") && text !== "" ? null : "no sentence";
  const body = type.startsWith("application/json") ? parse(text) : undefined;
  if (body === undefined) return "no JSON";
  const read = shape.safeParse(body);
  if (!read.success) return z.prettifyError(read.error);
  return isInternal.safeParse(body).success ? "a server's error" : null;
}

/** Returns what an answer has to be. What is no error, but for JSON-RPC's, is up to other tests. */
function shapeOf(path: string, status: number): z.ZodType {
  const isRpc = /^\/(a2a|mcp)\b/.test(path) && !path.includes("/.well-known/");
  if (status < 400) return isRpc ? rpcAnswer : z.unknown();
  if (/^\/(ai-sdk|ag-ui)\//.test(path)) return sentence;
  if (path.startsWith("/openai/")) return openaiError;
  return path.startsWith("/langgraph/") ? langgraphError : rpcError;
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
