import type { IncomingMessage } from "node:http";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { requestLimits } from "../../shared/domain/run/limits.ts";

/**
 * The whole body, at most `limit` bytes. Throws payload_too_large as soon as that is certain, bad_request on a
 * compressed body (it could be a bomb, and no client of ours sends one) and on one that breaks off.
 */
export function readRawBody(req: IncomingMessage, limit: number = requestLimits.body_bytes): Promise<Buffer> {
  const encoding = req.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity")
    throw new AppError("bad_request", "content_encoding_not_supported", "Send the body without Content-Encoding.");
  if (Number(req.headers["content-length"]) > limit) throw tooLarge(limit);

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      // The rest is read and dropped: a client that is still sending wouldn't see the answer of a closed socket.
      else reject(tooLarge(limit));
    };
    const brokenOff = (): void => reject(new AppError("bad_request", "body_incomplete", "The body broke off."));
    const done = (): void => {
      // The request lives for as long as its answer, and would keep the body.
      req.off("data", take).off("end", done).off("error", brokenOff).off("close", brokenOff);
      resolve(Buffer.concat(chunks, size));
    };
    req.on("data", take).on("end", done).on("error", brokenOff).on("close", brokenOff);
  });
}

const tooLarge = (limit: number) =>
  new AppError("payload_too_large", "payload_too_large", `The body is larger than ${limit} bytes.`);
