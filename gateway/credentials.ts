import { placeholderKey } from "../shared/domain/connection/sandbox-address.ts";
import type { OpenConnection } from "../shared/schemas/gateway.ts";
import { plainName, type RawHeaders } from "./clean-headers.ts";

/** Fields in which the services' libraries send keys. None of them is passed on, nor are cookies. */
const keyFields = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/** The fields of a call that aren't passed on. */
export const withheld = ({ header }: OpenConnection): string[] => [
  ...keyFields,
  "cookie",
  ...(header === null ? [] : [header.toLowerCase()]),
];

/**
 * Returns true when a call brings a key of its own. It isn't sent then: a program that finds a key elsewhere shall notice that
 * the connection's is used instead of its own.
 */
export function hasForeignKey(raw: RawHeaders, connection: OpenConnection): boolean {
  const fields = new Set(withheld(connection).map(plainName));
  fields.delete("cookie");
  return raw.some((value, at) => {
    if (at % 2 === 0 || !fields.has(plainName(raw[at - 1] ?? ""))) return false;
    return !isPlaceholder(value.trim());
  });
}

function isPlaceholder(value: string): boolean {
  const [, scheme = "", token = value] = /^(bearer|basic)\s+(\S*)$/i.exec(value) ?? [];
  if (scheme.toLowerCase() !== "basic") return token === placeholderKey || token === "" || /^bearer$/i.test(token);
  return Buffer.from(token, "base64").toString("utf8").split(":").includes(placeholderKey);
}

/** Returns an address without the key that Google's libraries put there; null when it is a key of the program's own. Elsewhere `key` is no secret. */
export function withoutKey(url: URL, { preset }: Pick<OpenConnection, "preset">): URL | null {
  if (preset !== "google") return url;
  const keys = url.searchParams.getAll("key");
  if (keys.length === 0) return url;
  if (keys.some((key) => key !== placeholderKey)) return null;
  const bare = new URL(url);
  bare.searchParams.delete("key");
  return bare;
}

/** Returns the field that holds a connection's secret. */
export function secretField({ kind, header, username, secret }: OpenConnection): [name: string, value: string] {
  if (kind === "header") return [header ?? "authorization", secret];
  return ["authorization", kind === "bearer" ? `Bearer ${secret}` : `Basic ${basicToken(username, secret)}`];
}

const basicToken = (username: string | null, secret: string): string =>
  Buffer.from(`${username ?? ""}:${secret}`).toString("base64");

/** Returns the forms in which a service may echo a connection's secret. */
export function formsOf({ kind, username, secret }: OpenConnection): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, inJson, inJson.replaceAll("/", "\\/"), encodeURIComponent(secret)];
  return [...new Set(kind === "basic" ? [...forms, basicToken(username, secret)] : forms)];
}
