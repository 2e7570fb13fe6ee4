import { createHmac } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { Runfleet, verifyWebhook, WebhookError } from "../../../sdk/ts/index.ts";

/** A client whose requests are answered by the next of `answers`, and then by the last one. */
function answering(...answers: object[]) {
  const sent: string[] = [];
  const client = new Runfleet({
    url: "http://service",
    fetch: (address, init) => {
      sent.push(`${init?.method} ${(address as string).replace("http://service", "")}`);
      return Promise.resolve(Response.json(answers[Math.min(sent.length, answers.length) - 1] ?? {}));
    },
  });
  return { client, sent };
}

test("a list whose rows have a place instead of an id is read page after page", async () => {
  const { client, sent } = answering(
    { data: [{ place: 1 }, { place: 4 }], has_more: true, last_place: 4 },
    { data: [{ place: 7 }], has_more: false, last_place: 7 },
  );
  const places: number[] = [];
  for await (const { place } of client.runs.listSteps("r", { limit: 2 })) places.push(place);
  expect(places).toEqual([1, 4, 7]);
  expect(sent).toEqual(["GET /v1/runs/r/steps?limit=2", "GET /v1/runs/r/steps?limit=2&after=4"]);
  const empty = answering({ data: [], has_more: false, last_place: null });
  expect(await empty.client.runs.listSteps("r").page()).toMatchObject({ data: [], first_id: null, last_id: null });
  expect(await client.runs.listSteps("r").page("4")).toMatchObject({ last_id: "7" });
});

test("an id that a URL takes for another path is refused, and nothing is sent", async () => {
  const { client, sent } = answering({});
  for (const id of ["", ".", ".."]) {
    expect(() => client.agents.deleteSecret("a", id)).toThrow("must be a text");
    expect(() => client.agents.putSecret(id, "KEY", { value: "v" })).toThrow("must be a text");
    expect(() => client.agents.listRuns(id)).toThrow("must be a text");
    expect(() => client.attach(id)).toThrow("run_id must be a text");
    expect(() => client.attach("r").download({ id })).toThrow("must be a text");
  }
  expect(sent).toEqual([]);
  await client.agents.deleteSecret("a", "...");
  await client.attach("a/..").get();
  expect(sent).toEqual(["DELETE /v1/agents/a/secrets/...", "GET /v1/runs/a%2F.."]);
});

test("an empty variable counts as none: the client has its usual address and sends no key", async () => {
  vi.stubEnv("RUNFLEET_URL", "");
  vi.stubEnv("RUNFLEET_API_KEY", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  let given: unknown;
  const client = new Runfleet({
    fetch: (_address, init) => {
      given = init?.headers;
      return Promise.resolve(Response.json({}));
    },
  });
  expect(client.url).toBe("http://127.0.0.1:8080");
  await client.runs.get("r");
  expect(given).toEqual({});
});

test("a secret that is empty, such as a variable that isn't set, accepts no message", async () => {
  const time = String(Math.floor(Date.now() / 1000));
  const signature = `v1,${createHmac("sha256", "").update(`m.${time}.{}`).digest("base64")}`;
  const headers = { "webhook-id": "m", "webhook-timestamp": time, "webhook-signature": signature };
  for (const secret of ["", "whsec_"])
    await expect(verifyWebhook("{}", headers, secret)).rejects.toBeInstanceOf(WebhookError);
});

test("a time of a query may be a Date, which JavaScript's users give: it is not left out", async () => {
  const { client, sent } = answering({ data: [], has_more: false, first_id: null, last_id: null });
  const since = new Date("2026-11-21T10:00:00Z");
  await client.runs.list({ since: since as unknown as string, metadata: { a: "1" }, status: ["error"] }).page();
  const query = new URLSearchParams({ since: since.toISOString(), "metadata[a]": "1", status: "error" });
  expect(sent).toEqual([`GET /v1/runs?${query.toString()}`]);
});
