/** Fields of this connection, not of the message (RFC 9110 §7.6.1). `trailer` is here because trailers aren't passed on. */
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
/** RFC 9110 §5.5. Node reads bytes above 127 as Latin-1 characters and writes them as the same bytes. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const reasonPhrase = /^[\t\x20-\x7e\x80-\xff]{1,128}$/;

/** A message's fields in Node's flat form: name, value, name, value. */
export type RawHeaders = readonly string[];

/** Returns a field's name as a service may read it: without case, and `_` as `-`. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll("_", "-");

/**
 * Returns the fields to pass on, in their order and spelling: without fields of the connection, fields that `Connection`
 * names, `proxy-` fields, and `without`. Returns null when a name or a value must not be sent.
 */
export function cleanHeaders(raw: RawHeaders, without: readonly string[] = []): string[] | null {
  const dropped = new Set([...without, ...connectionNames(raw)].map(plainName));
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    const plain = plainName(name);
    if (hopByHop.has(plain) || plain.startsWith("proxy-") || dropped.has(plain)) continue;
    if (!token.test(name) || !fieldValue.test(value)) return null;
    kept.push(name, value);
  }
  return kept;
}

/** Returns the fields that `Connection` names. It can't remove the body's length or the host. */
function connectionNames(raw: RawHeaders): string[] {
  const values = raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === "connection");
  const named = values.flatMap((value) => value.split(",").map((name) => plainName(name.trim())));
  return named.filter((name) => !["content-length", "host"].includes(name));
}

/** Returns the target's reason phrase, if it is allowed in a status line. */
export const cleanReason = (text: string | undefined): string | undefined =>
  text !== undefined && reasonPhrase.test(text) ? text : undefined;

/** True for the status of a final answer. Others (1xx, 000, 999) mean nothing to a client, or are no HTTP. */
export const isFinalStatus = (status: number | undefined): status is number =>
  status !== undefined && Number.isInteger(status) && status >= 200 && status <= 599;
