import type { ServerResponse } from "node:http";
import type { ConnectionPreset } from "../shared/domain/connection/presets.ts";
import type { RecordedAnswer } from "../shared/schemas/gateway.ts";

export type CallRefusal = { status: number; code: string; reason: string };

/**
 * Answers a call in the shape that the service's library reads as an error. What another try can't fix says so: the libraries
 * would repeat some of these statuses.
 */
export function refuseCall(
  res: ServerResponse,
  preset: ConnectionPreset | null,
  { status, code, reason }: CallRefusal,
): void {
  if (res.headersSent || res.destroyed) return void res.destroy();
  const body = Buffer.from(JSON.stringify(bodyOf(preset, { status, code, reason })));
  res.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    ...(status >= 500 ? {} : { "x-should-retry": "false" }),
    ...(res.req.complete ? {} : { connection: "close" }),
  });
  res.end(body);
}

/** Returns what a client is answered, as it is kept. */
export const answerOfRefusal = (preset: ConnectionPreset | null, refusal: CallRefusal): RecordedAnswer => ({
  status: refusal.status,
  headers: ["content-type", "application/json"],
  body: Buffer.from(JSON.stringify(bodyOf(preset, refusal))).toString("base64"),
});

function bodyOf(preset: ConnectionPreset | null, { status, code, reason }: CallRefusal): object {
  if (preset === "anthropic") return { type: "error", error: { type: code, message: reason } };
  if (preset === "google") return { error: { code: status, message: reason, status: code.toUpperCase() } };
  return { error: { message: reason, type: code, param: null, code } };
}
