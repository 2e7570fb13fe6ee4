import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type RunningApp, listen } from "./listen.ts";
import { samples } from "./samples.ts";

let app: RunningApp;
beforeAll(async () => {
  app = await listen(samples);
});
afterAll(() => app.close());

const validationError = z.strictObject({
  detail: z
    .array(
      z.strictObject({
        type: z.string().min(1),
        loc: z.array(z.union([z.string(), z.int()])).min(1),
        msg: z.string().min(1),
        ctx: z.looseObject({}).optional(),
      }),
    )
    .min(1),
});
const otherError = z.strictObject({ detail: z.string(), code: z.string(), request_id: z.string() });

async function expectAnswered(path: string, init: RequestInit): Promise<void> {
  const response = await fetch(`${app.url}${path}`, init);
  const answer: unknown = await response.json();
  expect(response.status).toBeLessThan(500);
  if (response.status === 422) validationError.parse(answer);
  else if (response.status >= 400) otherError.parse(answer);
}

/** Bodies near to what is taken: the right names with any values. */
const nearlyRight = fc
  .record(
    {
      id: fc.oneof(fc.constant("r1"), fc.jsonValue()),
      input: fc.jsonValue(),
      env: fc.jsonValue(),
      priority: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  .map((body) => JSON.stringify(body));

it("is answered with less than 500 and a well-formed body, whatever a client posts", async () => {
  const bodies = fc.oneof(nearlyRight, fc.json(), fc.string({ unit: "binary" }), fc.uint8Array());
  const types = fc.constantFrom("application/json", "application/x+json", "text/plain", "application/json/x", ";");
  await fc.assert(
    fc.asyncProperty(bodies, types, (body, type) =>
      expectAnswered("/v1/runs", { method: "POST", headers: { "content-type": type }, body: Buffer.from(body) }),
    ),
    { numRuns: 400 },
  );
});

it("is answered with less than 500 and a well-formed body, whatever path and query a client asks for", async () => {
  const junk = fc
    .string({ unit: "binary-ascii" })
    .map((part) => part.replaceAll(/[^!-~]/g, "%").replaceAll("#", "%23"));
  await fc.assert(
    fc.asyncProperty(junk, junk, (segment, query) => expectAnswered(`/v1/runs/x${segment}?limit=${query}`, {})),
    { numRuns: 300 },
  );
});
