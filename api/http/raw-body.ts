import type { IncomingMessage } from "node:http";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { requestLimits } from "../../shared/domain/run/limits.ts";

/**
 * Returns the whole body, at most `limit` bytes. Throws payload_too_large as soon as the limit is exceeded, and bad_request for
 * a compressed body (it could be a decompression bomb) and for an incomplete one.
 */
export function readRawBody(req: IncomingMessage, limit: number = requestLimits.body_bytes): Promise<Buffer> {
  const encoding = req.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity")
    throw new AppError(
      "bad_request",
      "content_encoding_not_supported",
      "The body is compressed. Send it without Content-Encoding.",
    );
  if (Number(req.headers["content-length"]) > limit) throw tooLarge(limit);

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      // The rest is read and dropped: a client that is still sending would not see the answer of a closed socket.
      else reject(tooLarge(limit));
    };
    const onIncomplete = (): void =>
      reject(
        new AppError(
          "bad_request",
          "body_incomplete",
          "The connection ended before the whole body was received. Send the request again.",
        ),
      );
    const done = (): void => {
      // The request lives as long as its answer, and its listeners would keep the body in memory.
      req.off("data", take).off("end", done).off("error", onIncomplete).off("close", onIncomplete);
      resolve(Buffer.concat(chunks, size));
    };
    req.on("data", take).on("end", done).on("error", onIncomplete).on("close", onIncomplete);
  });
}

const tooLarge = (limit: number) =>
  new AppError("payload_too_large", "payload_too_large", `The body is larger than the limit of ${limit} bytes.`);
