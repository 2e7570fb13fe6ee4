import { createHash } from "node:crypto";
import type { HookDocument } from "../../shared/domain/hook/delivery.ts";
import { fillText, mostFilled } from "../../shared/domain/hook/template.ts";
import type { HookScheme } from "../../shared/schemas/hook.ts";
import { readForeignBody } from "../http/read-foreign-body.ts";
import type { Headers } from "./verify-signature.ts";

type SignedRequest = { headers: Headers; query: Record<string, string>; body: Buffer };

/** They say who sends, and are of no use to an agent. */
const leftOut = new Set(["authorization", "cookie", "proxy-authorization", "x-api-key"]);

/** Reads a request whose signature is valid. Throws ValidationFault for a body that can't be read as its type. */
export function readDelivery({ headers, query, body }: SignedRequest): HookDocument {
  const shown = Object.entries(headers).filter(([name]) => !leftOut.has(name));
  return {
    headers: Object.fromEntries(shown),
    query,
    body: readForeignBody(body, headers["content-type"] ?? ""),
    body_sha256: createHash("sha256").update(body).digest("hex"),
  };
}

/** The id that a sender gives its deliveries. The others give none. */
const ownKeys: Partial<Record<HookScheme, string>> = {
  github: "{/headers/x-github-delivery}",
  stripe: "{/body/id}",
  slack: "{/body/event_id}",
  standard: "{/headers/webhook-id}",
};

/** Returns the text that is the same for repeats of a delivery. Null: each request is a delivery of its own. */
export function dedupeKeyOf(verify: HookScheme, dedupe: string | null, document: HookDocument): string | null {
  const template = dedupe ?? ownKeys[verify];
  if (template === undefined) return null;
  const filled = fillText(template, document);
  // Without the value, or where its text was cut off, the same bytes are the same delivery.
  const key = filled === null || filled.length >= mostFilled ? `body ${document.body_sha256}` : filled;
  return /^[\x20-\x7e]{1,200}$/.test(key) ? key : `sha256 ${createHash("sha256").update(key).digest("hex")}`;
}

const eventTypes: Partial<Record<HookScheme, readonly string[]>> = {
  github: ["{/headers/x-github-event}"],
  stripe: ["{/body/type}"],
  slack: ["{/body/event/type}", "{/body/type}", "{/body/command}"],
  standard: ["{/body/type}"],
};

/** Returns the type of the event in the sender's words. Null: it tells none, or an odd one. */
export function eventOf(verify: HookScheme, document: HookDocument): string | null {
  for (const template of eventTypes[verify] ?? []) {
    const type = fillText(template, document);
    if (type !== null) return /^[\x20-\x7e]{1,128}$/.test(type) ? type : null;
  }
  return null;
}

/** What a sender's own test of an address is answered: a text, or nothing for a ping. Null: the delivery is no test. */
export function handshakeOf(verify: HookScheme, document: HookDocument): { text: string } | null {
  if (verify === "github" && document.headers["x-github-event"] === "ping") return { text: "" };
  if (verify !== "slack" || fillText("{/body/type}", document) !== "url_verification") return null;
  const challenge = fillText("{/body/challenge}", document) ?? "";
  return /^[\x20-\x7e]{1,512}$/.test(challenge) ? { text: challenge } : null;
}
