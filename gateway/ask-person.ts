import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { needsApproval } from "../shared/domain/connection/approval-rule.ts";
import type { CallAsked, CallRecord, GatewayRun } from "../shared/schemas/gateway.ts";
import type { CallRefusal } from "./refuse-call.ts";

/** Fields in which some services take another method than the request's. */
const methodFields = ["x-http-method-override", "x-http-method", "x-method-override"];

/** Returns whether a person is asked before a call leaves, or why the call can't be. */
export function asksPerson(
  req: Pick<IncomingMessage, "method" | "headers">,
  url: URL,
  { approvals }: GatewayRun,
): boolean | CallRefusal {
  if (approvals.length === 0) return false;
  const named = methodFields.map((name) => req.headers[name]).filter((value) => value !== undefined);
  const methods = [req.method ?? "GET", ...named.map((value) => String(value).trim())];
  const isAsked = needsApproval(approvals, { methods, url });
  return isAsked && named.length > 0 ? twoMethods : isAsked;
}

const twoMethods: CallRefusal = {
  status: 400,
  code: "invalid_request_error",
  reason: "A person is asked about this call, so it must not name another method in a field.",
};

const mostShown = 2_000;

/** Returns what the worker is asked of a call that a person decides about: its answer is kept, whatever it is. */
export const askedOfPerson = (
  asked: CallAsked,
  req: Pick<IncomingMessage, "method" | "headers">,
  url: URL,
  body: Buffer,
): CallAsked => ({
  ...asked,
  approval: shownOf(url, body),
  record: asked.record ?? recordOfBytes(req, url, body),
});

/** Returns what a person is shown of a call. */
const shownOf = (url: URL, body: Buffer): NonNullable<CallAsked["approval"]> => ({
  url: cut(url.href),
  shown: isBinary(body) ? "" : cut(body.toString("utf8").replaceAll(/[^\P{C}\n\t]/gu, " ")),
  bytes: body.length,
});

const cut = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text);

/** A body with a zero, or one that is no UTF-8, is shown by its size only. */
const isBinary = (body: Buffer): boolean => {
  const text = body.subarray(0, 4 * mostShown).toString("utf8");
  return text.includes("\0") || text.slice(0, -4).includes("\ufffd");
};

/** Returns what makes a call of any kind the same as one of an earlier attempt. Forms have another boundary each time. */
function recordOfBytes(req: Pick<IncomingMessage, "method" | "headers">, url: URL, body: Buffer): CallRecord {
  const kind = req.headers["content-type"] ?? "";
  const [, quoted, bare] = /boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(kind) ?? [];
  const boundary = quoted ?? bare;
  const same = (text: string): string => (boundary === undefined ? text : text.replaceAll(boundary, "boundary"));
  const hash = createHash("sha256").update([req.method, url.host, url.pathname, url.search, same(kind)].join("\n"));
  hash.update("\n").update(boundary === undefined ? body : Buffer.from(same(body.toString("latin1")), "latin1"));
  return { key: hash.digest("hex").slice(0, 32), request: null };
}
