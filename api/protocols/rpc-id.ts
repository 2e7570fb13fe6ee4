import { z } from "zod";
import { text } from "../../shared/schemas/primitives.ts";

/** https://www.jsonrpc.org/specification */
export const rpcId = z.union([text({ max: 256 }), z.number().int()]);
export type RpcId = z.infer<typeof rpcId>;
