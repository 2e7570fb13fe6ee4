/** RFC 9110 §7.6.1 and what else speaks of this connection, not of the message. `trailer`: trailers aren't passed on. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "http2-settings",
]);

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** RFC 9110 §5.5. Bytes above 127 come as Latin-1 characters, and leave as the same bytes. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const reasonPhrase = /^[\t\x20-\x7e\x80-\xff]{1,128}$/;

/** A message's fields in Node's flat form: name, value, name, value. */
export type RawHeaders = readonly string[];

/**
 * The fields that are passed on, in their order and as they are spelled: not those of the connection, nor those that its
 * `Connection` field names, nor a proxy's. Null: a name or a value is none that may be sent.
 */
export function cleanHeaders(raw: RawHeaders, without: readonly string[] = []): string[] | null {
  const dropped = new Set([...without, ...connectionNames(raw)]);
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || lower.startsWith("proxy-") || dropped.has(lower)) continue;
    if (!token.test(name) || !fieldValue.test(value)) return null;
    kept.push(name, value);
  }
  return kept;
}

/** What `Connection` may name without taking away how long the body is, or whose it is. */
function connectionNames(raw: RawHeaders): string[] {
  const values = raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === "connection");
  const named = values.flatMap((value) => value.split(",").map((name) => name.trim().toLowerCase()));
  return named.filter((name) => !["content-length", "host"].includes(name));
}

/** The target's own words, if they can be a status line's. */
export const cleanReason = (text: string | undefined): string | undefined =>
  text !== undefined && reasonPhrase.test(text) ? text : undefined;

/** Whether a target may answer so. Others (1xx, 101, 000, 999) mean nothing to a client, or that it is no HTTP. */
export const isFinalStatus = (status: number | undefined): status is number =>
  status !== undefined && Number.isInteger(status) && status >= 200 && status <= 599;
