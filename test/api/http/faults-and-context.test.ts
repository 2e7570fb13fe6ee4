import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTraceparent } from "../../../api/http/traceparent.ts";
import { type RunningApp, listen } from "./listen.ts";
import { samples, streamEvents } from "./samples.ts";

let app: RunningApp;
beforeAll(async () => {
  app = await listen(samples);
});
afterAll(() => app.close());

async function fail(how: string) {
  const response = await fetch(`${app.url}/fail/${how}`, { headers: { "x-request-id": `ask-${how}` } });
  const { status, headers } = response;
  return { status, headers, body: await response.json() };
}
const linesOf = (request_id: string) => app.logged().filter((line) => line["request_id"] === request_id);

describe("a fault", () => {
  it.each([
    ["missing", 404, "run_not_found", "No run with the id 'r1'."],
    ["conflict", 409, "thread_busy", "The thread is busy."],
    ["busy", 503, "queue_full", "The queue is full."],
    ["anonymous", 401, "missing_key", "Send a key."],
    ["database", 503, "dependency_unavailable", "The database or Redis is not reachable. Try again later."],
    ["bug", 500, "internal_error", "Internal Server Error"],
  ])("%s is answered %i %s, in words and with the request's id", async (how, status, code, detail) => {
    const answer = await fail(how);
    expect([answer.status, answer.body]).toEqual([status, { detail, code, request_id: `ask-${how}` }]);
  });

  it("says when to come again, and how to show who one is", async () => {
    expect((await fail("busy")).headers.get("retry-after")).toBe("7");
    expect((await fail("database")).headers.get("retry-after")).toBe("1");
    expect((await fail("anonymous")).headers.get("www-authenticate")).toBe("Bearer");
  });

  it("that nobody expected is logged by its class and place, without its message", async () => {
    await fail("bug");
    const [line] = linesOf("ask-bug");
    expect(line).toMatchObject({ level: 50, error: "TypeError", at: expect.arrayContaining([]) });
    expect(JSON.stringify(app.logged())).not.toContain("SELECT");
  });
});

describe("each request", () => {
  it("gets an id, its client's own if that is a plain word", async () => {
    const idFor = async (given: string) =>
      (await fetch(`${app.url}/v1/runs`, { headers: { "x-request-id": given } })).headers.get("x-request-id");
    expect(await idFor("mine-1")).toBe("mine-1");
    expect(await idFor('a b {"level":50}')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(await idFor("x".repeat(129))).toMatch(/^req_/);
  });

  it("is logged once, by route and without its query", async () => {
    await fetch(`${app.url}/v1/runs/r-secret?token=t-secret&other=o-secret`, {
      headers: { "x-request-id": "logged-1" },
    });
    await expect.poll(() => linesOf("logged-1")).toHaveLength(1);
    expect(linesOf("logged-1")[0]).toMatchObject({
      method: "GET",
      route: "/v1/runs/{run_id}",
      status: 422,
      complete: true,
    });
    expect(JSON.stringify(app.logged())).not.toContain("-secret");
  });

  it("isn't cached, sniffed, framed or open to other origins", async () => {
    const { headers } = await fetch(`${app.url}/v1/runs`, { headers: { origin: "https://other.example" } });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("x-powered-by")).toBeNull();
  });

  it("tells its handler when the client has gone", async () => {
    const gone = new Promise((resolve) => streamEvents.addEventListener("gone", resolve, { once: true }));
    const leave = new AbortController();
    const response = await fetch(`${app.url}/stream`, { signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await gone;
  });
});

it("hands on a well-formed traceparent only", () => {
  const good = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  expect(parseTraceparent(good)).toBe(good);
  for (const bad of [
    undefined,
    "",
    good.toUpperCase(),
    `ff${good.slice(2)}`,
    `00-${"0".repeat(32)}-${"b".repeat(16)}-01`,
  ])
    expect(parseTraceparent(bad)).toBeUndefined();
});
