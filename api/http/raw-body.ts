import type { IncomingMessage } from "node:http";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";

type Limits = {
  most_bytes: number;
  /** Left out: the server's own time limit. */
  most_ms?: number | undefined;
  /** Is told of each part. What it throws refuses the body. */
  count?: ((bytes: number) => void) | undefined;
};

/**
 * Returns the whole body. Throws payload_too_large as soon as the limit is exceeded, bad_request for a compressed body (it could be a
 * decompression bomb) and for one that is incomplete, or is so after `most_ms`, and what `count` throws.
 */
export function readRawBody(
  req: IncomingMessage,
  { most_bytes: limit, most_ms: mostMs, count = () => undefined }: Limits = { most_bytes: requestLimits.body_bytes },
): Promise<Buffer> {
  const encoding = req.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity")
    throw new AppError(
      "bad_request",
      "content_encoding_not_supported",
      "The body is compressed. Send it without Content-Encoding.",
    );
  if (Number(req.headers["content-length"]) > limit) throw tooLarge(limit);

  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let isRefused = false;
    let timer: NodeJS.Timeout | undefined;
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      // The rest is read and dropped: a client that is still sending would not see the answer of a closed socket.
      isRefused = true;
      chunks = [];
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      if (isRefused) return;
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        count(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onIncomplete = (): void =>
      fail(incomplete("The connection ended before the whole body was received. Send the request again."));
    const done = (): void => {
      clearTimeout(timer);
      // The request lives as long as its answer, and its listeners would keep the body in memory.
      req.off("data", take).off("end", done).off("error", onIncomplete).off("close", onIncomplete);
      resolve(Buffer.concat(chunks, size));
    };
    req.on("data", take).on("end", done).on("error", onIncomplete).on("close", onIncomplete);
    if (mostMs !== undefined)
      timer = setTimeout(() => fail(incomplete(`The whole body was not received within ${mostMs} ms.`)), mostMs);
  });
}

const incomplete = (sentence: string) => new AppError("bad_request", "body_incomplete", sentence);

const tooLarge = (limit: number) =>
  new AppError("payload_too_large", "payload_too_large", `The body is larger than the limit of ${limit} bytes.`);
