import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Request, Response } from "express";

/** A smaller body costs more to compress than it saves. */
const leastBytes = 1_024;
/** Brotli's default of 11 takes a hundred times as long for a tenth fewer bytes. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders = {
  br: (bytes: Buffer): Promise<Buffer> => promisify(brotliCompress)(bytes, brotli),
  gzip: (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes),
};

/** Sends a whole body, text or JSON compressed as the client accepts it. Streams never come here. */
export async function sendBody(req: Request, res: Response, contentType: string, body: string | Buffer): Promise<void> {
  const bytes = Buffer.from(body);
  res.set("Content-Type", contentType);
  const encoding = isText.test(contentType) ? chooseEncoding(req, res, bytes.length) : null;
  if (encoding === null) res.send(bytes);
  else res.set("Content-Encoding", encoding).send(await encoders[encoding](bytes));
}

const isText = /^(application\/json|text\/)/;

function chooseEncoding(req: Request, res: Response, length: number): keyof typeof encoders | null {
  res.vary("Accept-Encoding");
  if (length < leastBytes) return null;
  return (["br", "gzip"] as const).find((encoding) => req.acceptsEncodings(encoding)) ?? null;
}
