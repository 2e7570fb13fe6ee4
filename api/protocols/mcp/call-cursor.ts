import { createHash } from "node:crypto";
import { z } from "zod";
import { type EventId, formatEventId, parseEventId } from "../../../shared/domain/run/event-id.ts";
import { text } from "../../../shared/schemas/primitives.ts";
import type { RpcId } from "../rpc-id.ts";

/** A tool call that is a run: all that is needed to go on with its stream at any API process. */
export type RunCall = {
  run_id: string;
  rpc_id: RpcId;
  /** Null: the client wants no progress. */
  progress_token: RpcId | null;
};

const id = z.union([z.string(), z.number()]);
const stored = z.tuple([text({ max: 512 }), id, id.nullable()]);

/** Returns the SSE ids of a call's stream: the call, and the run's event. */
export function startCursors({ run_id, rpc_id, progress_token }: RunCall): (event: EventId) => string {
  const call = Buffer.from(JSON.stringify([run_id, rpc_id, progress_token])).toString("base64url");
  return (event) => `${call}.${formatEventId(event)}`;
}

/** Returns null when what is given is no id of a call's stream. */
export function readCursor(given: string): { call: RunCall; after: EventId } | null {
  const [encoded = "", place = ""] = given.split(".");
  const after = parseEventId(place);
  const read = stored.safeParse(parseJson(Buffer.from(encoded, "base64url").toString()));
  if (!after || !read.success) return null;
  const [run_id, rpc_id, progress_token] = read.data;
  return { call: { run_id, rpc_id, progress_token }, after };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Returns the id of the run that a request starts. A cancellation that reaches another API process finds the run by it. */
export function runIdOf(user_id: string, session: string, rpc_id: RpcId): string {
  const hash = createHash("sha256").update(JSON.stringify([user_id, session, rpc_id]));
  return `run_${hash.digest("hex").slice(0, 32)}`;
}
