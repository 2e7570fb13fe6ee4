import { createHmac, hkdfSync } from "node:crypto";
import type { KeyRing } from "../config/load-config.ts";
import { sameSecret } from "./credential.ts";

/** What a signed path allows whoever has it. Each kind has keys of its own. */
type Kind = "answer" | "signal";

/** Ids have at most 128 characters each. */
const longest = 1_024;

/**
 * Returns the last part of a path that says what it allows, and that only this service can make: `<key id>.<JSON>.<HMAC>`. The same
 * parts give the same text, as long as the ring's first key is the same.
 */
export function signPath(keyRing: KeyRing, kind: Kind, parts: readonly string[]): string {
  const [first] = keyRing;
  if (!first) throw new Error("the key ring is empty");
  const said = `${first.id}.${Buffer.from(JSON.stringify(parts)).toString("base64url")}`;
  return `${said}.${macOf(first.key, kind, said)}`;
}

/** Returns what a signed path says. Null: no key of the ring has signed it as this kind. */
export function readSignedPath(keyRing: KeyRing, kind: Kind, text: string): string[] | null {
  const [, id, json = "", mac = ""] = text.length > longest ? [] : (/^(\w+)\.([\w-]+)\.([\w-]+)$/.exec(text) ?? []);
  const key = keyRing.find((entry) => entry.id === id)?.key;
  if (!key || !sameSecret(mac, macOf(key, kind, `${id}.${json}`))) return null;
  // What was signed is what `signPath` made.
  return JSON.parse(Buffer.from(json, "base64url").toString("utf8")) as string[];
}

function macOf(key: Buffer, kind: Kind, said: string): string {
  const derived = Buffer.from(hkdfSync("sha256", key, "", `runfleet signed path: ${kind}`, 32));
  return createHmac("sha256", derived).update(said).digest("base64url");
}
