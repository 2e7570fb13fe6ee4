import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { cutStream } from "../../../../worker/adapters/python/cut-stream.ts";

test.each(["ended", "destroyed"])("nothing is waited for from a stream that was %s before", async (how) => {
  const source = new PassThrough();
  source.resume();
  if (how === "ended") source.end();
  else source.destroy();
  await once(source, "close");
  const chunks = [];
  for await (const chunk of cutStream(source).chunks) chunks.push(chunk);
  expect(chunks).toEqual([]);
});
