import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeRetry, encodeSse } from "../../../api/stream/encode-sse.ts";
import { ssePing } from "../../../api/stream/sse-ping.ts";
import { formatEventId } from "../../../shared/domain/run/event-id.ts";

test("what is encoded is what any client parses, whatever the text, however it is cut into chunks", () => {
  const event = fc.record({
    attempt: fc.nat(1_000),
    seq: fc.nat(1_000_000),
    type: fc.constantFrom("run.started", "output.delta", "run.success"),
    data: fc.string({ unit: "binary" }).map((content) => JSON.stringify({ content })),
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 6 }), cuts, (events, sizes) => {
      const parsed: unknown[] = [];
      const parser = createParser({ onEvent: ({ id, event: type, data }) => parsed.push({ id, type, data }) });
      const bytes = Buffer.from(encodeRetry(100) + events.map((one) => encodeSse(one) + ssePing).join(""));
      const decoder = new TextDecoder();
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        parser.feed(decoder.decode(bytes.subarray(at, at + size), { stream: true }));
        at += size;
      }
      expect(parsed).toEqual(events.map(({ type, data, ...id }) => ({ id: formatEventId(id), type, data })));
    }),
    { numRuns: 200 },
  );
});
