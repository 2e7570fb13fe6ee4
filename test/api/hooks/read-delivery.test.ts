import { expect, test } from "vitest";
import { dedupeKeyOf, readDelivery } from "../../../api/hooks/read-delivery.ts";
import { requestOfDelivery } from "../../../api/hooks/request-of-delivery.ts";
import { fillText } from "../../../shared/domain/hook/template.ts";
import { requestLimits } from "../../../shared/domain/run/request-limits.ts";

const deliveryOf = (body: unknown) => readDelivery({ headers: {}, query: {}, body: Buffer.from(JSON.stringify(body)) });

test("a template that repeats a large body is filled up to a body's size: such a delivery is known by its bytes", () => {
  const document = deliveryOf({ x: "y".repeat(requestLimits.input_bytes / 2), n: 7 });
  const bomb = "{/body}".repeat(73);
  expect(fillText(`${bomb}{/body/n}`, document)).toHaveLength(requestLimits.input_bytes);
  expect(fillText(`${bomb}{/body/missing}`, document)).toBeNull();
  expect(dedupeKeyOf("none", bomb, document)).toBe(`body ${document.body_sha256}`);
  // A large value by itself still tells deliveries apart.
  const same = deliveryOf({ x: "y".repeat(requestLimits.input_bytes / 2), n: 8 });
  const keys = [document, same].map((delivery) => dedupeKeyOf("none", "{/body/x}", delivery));
  expect(keys[0]).toMatch(/^sha256 [0-9a-f]{64}$/);
  expect(keys[1]).toBe(keys[0]);
  const rules = { filter: null, map: {}, dedupe: null, thread: bomb, signal: null, signature: null };
  const hook = { id: "hook_1", agent_id: "agent_1", version: "current", runtime_mode: "standard" as const, rules };
  expect(() => requestOfDelivery(hook, { id: "delivery_1", run_id: null }, document)).toThrow("which is no id");
});
