import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { CallEnded, RecordedAnswer } from "../../shared/schemas/gateway.ts";

/** Answers that the same request would get again. Others may be another one next time. */
export const isKeptStatus = (status: number): boolean => status < 300 || [400, 404, 422].includes(status);

/** Returns what is kept of an answer. */
export const keptAnswer = (status: number, fields: readonly string[], bytes: Buffer): RecordedAnswer => ({
  status,
  headers: keptFields(fields),
  body: bytes.toString("base64"),
});

/** The fields of an answer that are kept with it. */
function keptFields(fields: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    if (/^(content-type|location|x-request-id|request-id|openai-.*|anthropic-.*|x-ratelimit-.*)$/i.test(name))
      kept.push(name, value);
  }
  return kept;
}

/** Gives an answer that an earlier attempt has had already. After a failure its library needn't wait again. */
export async function replayAnswer(
  res: ServerResponse,
  { status, headers, body }: RecordedAnswer,
): Promise<Partial<CallEnded>> {
  const bytes = Buffer.from(body, "base64");
  if (res.destroyed || res.closed) return {};
  const fields = [...headers, ...(isKeptStatus(status) ? [] : ["retry-after-ms", "1"])];
  res.writeHead(status, [...fields, "content-length", String(bytes.length), "x-runfleet-recorded", "true"]);
  res.end(bytes);
  await Promise.race([once(res, "finish"), once(res, "close")]).catch(() => undefined);
  return { status, response_bytes: bytes.length, is_whole: true, is_delivered: res.writableFinished };
}
