import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { needsApproval } from "../shared/domain/connection/approval-rule.ts";
import type { CallAsked, CallRecord, GatewayRun } from "../shared/schemas/gateway.ts";
import { methodsInFields } from "./method-override.ts";
import type { CallRefusal } from "./show-refusal.ts";

/** Returns whether a person is asked before a call leaves, or why the call can't be. */
export function asksPerson(
  req: Pick<IncomingMessage, "method" | "rawHeaders">,
  url: URL,
  { approvals }: GatewayRun,
): boolean | CallRefusal {
  if (approvals.length === 0) return false;
  const named = methodsInFields(req.rawHeaders);
  const isAsked = needsApproval(approvals, { methods: [req.method ?? "GET", ...named], url });
  return isAsked && named.length > 0 ? twoMethods : isAsked;
}

const twoMethods: CallRefusal = {
  status: 400,
  code: "invalid_request_error",
  reason: "This call needs an approval, so it must not override its method. Remove the header X-HTTP-Method-Override.",
};

const mostShown = 2_000;

/**
 * Returns what the worker is asked of a call that a person decides about. Its answer is kept, whatever it is. The decision is about these
 * bytes: what else a call for a model's answer may differ in counts here, too.
 */
export const askedOfPerson = (
  asked: CallAsked,
  req: Pick<IncomingMessage, "method" | "headers">,
  url: URL,
  body: Buffer,
): CallAsked => ({
  ...asked,
  approval: shownOf(url, body),
  record: recordOfBytes(req, url, body),
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

/** Returns what makes a call of any kind the same as one of an earlier attempt. */
function recordOfBytes(req: Pick<IncomingMessage, "method" | "headers">, url: URL, body: Buffer): CallRecord {
  const { kind, bytes } = withoutBoundary(req.headers["content-type"] ?? "", body);
  const hash = createHash("sha256").update([req.method, url.host, url.pathname, url.search, kind].join("\n"));
  hash.update("\n").update(bytes);
  return { key: hash.digest("hex").slice(0, 32), request: null };
}

/** Forms have another boundary each time. It is left out where it separates a form's parts, and nowhere else. */
function withoutBoundary(kind: string, body: Buffer): { kind: string; bytes: Buffer } {
  const form = /^(multipart\/[^;]+);\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))\s*$/i;
  const [, type = "", quoted, bare] = form.exec(kind) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return { kind, bytes: body };
  const parts = `\r\n${body.toString("latin1")}\r\n`.split(`\r\n--${boundary}`);
  // What follows a boundary in its line is part of the text: `--` at the end, else nothing.
  if (parts.slice(1).some((part) => !/^(--)?\r\n/.test(part))) return { kind, bytes: body };
  return { kind: type, bytes: Buffer.from(JSON.stringify(parts), "latin1") };
}
