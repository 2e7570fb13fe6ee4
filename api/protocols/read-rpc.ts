import { z } from "zod";
import { text } from "../../shared/schemas/primitives.ts";
import { rpcCodes, RpcError } from "./rpc-error.ts";
import { type RpcId, rpcId } from "./rpc-id.ts";

/** What a client posts: a request, a notification, or its answer to a request of ours. */
export type RpcMessage =
  | { kind: "request"; id: RpcId; method: string; params: unknown }
  | { kind: "notification"; method: string; params: unknown }
  | { kind: "answer"; id: RpcId; result: unknown }
  | { kind: "failure"; id: RpcId; message: string };

const envelope = z.object({ jsonrpc: z.literal("2.0") });
const shapes = z.union([
  envelope.extend({ id: rpcId, method: text({ max: 256 }), params: z.unknown().optional() }),
  envelope.extend({ id: z.undefined().optional(), method: text({ max: 256 }), params: z.unknown().optional() }),
  envelope.extend({ id: rpcId, result: z.record(z.string(), z.unknown()) }),
  envelope.extend({ id: rpcId, error: z.object({ message: z.string() }) }),
]);

/** Reads a body as one JSON-RPC message. Throws RpcError. */
export function readRpc(body: unknown): RpcMessage {
  if (Array.isArray(body))
    throw new RpcError(rpcCodes.invalid_request, "Batches are not supported. Send one message a request.");
  const read = shapes.safeParse(body);
  if (!read.success)
    throw new RpcError(
      rpcCodes.invalid_request,
      'The body is no JSON-RPC message. It needs "jsonrpc": "2.0", a method, and for a request an id: a text or an integer.',
    );
  const message = read.data;
  if ("result" in message) return { kind: "answer", id: message.id, result: message.result };
  if ("error" in message) return { kind: "failure", id: message.id, message: message.error.message };
  const { id, method, params } = message;
  return id === undefined ? { kind: "notification", method, params } : { kind: "request", id, method, params };
}

/** Returns a request's params as `schema` has them. Throws RpcError that names the first wrong place. */
export function readParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const read = schema.safeParse(params ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new RpcError(rpcCodes.invalid_params, `params.${issue?.path.join(".")}: ${issue?.message}`, "INVALID_PARAMS");
}
