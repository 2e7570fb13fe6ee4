import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { callService } from "../../cli/call-service.ts";
import { createClient } from "../../cli/client.ts";
import { UnreachableError } from "../../sdk/ts/index.ts";

test.for<[string, (response: ServerResponse) => void, RegExp]>([
  ["is cut", (response) => response.write("{", () => response.destroy()), /cut while the answer to GET \/v1\/runs/],
  ["is a page of something else", (response) => response.end("<html>"), /answered with 200, but not with JSON: <html>/],
])("an answer that %s is told as such, with the operation", async ([, answer, message]) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "6" });
    answer(response);
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const client = createClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: null,
    });
    await expect(callService(client, "GET", "/v1/runs")).rejects.toMatchObject({
      exit: "unreachable",
      message: expect.stringMatching(message),
    });
  } finally {
    server.close();
  }
});

test("a name that a URL takes for another path is refused, and nothing is sent", async () => {
  const client = createClient({ url: "http://127.0.0.1:9", apiKey: null });
  for (const path of ["/v1/agents/a/secrets/..", "/v1/agents/./secrets", "/v1/secrets/..?tag=a", "/v1/a/%2E%2e"])
    await expect(callService(client, "DELETE", path)).rejects.toMatchObject({ exit: "usage" });
  for (const path of ["/v1/secrets/...", "/v1/secrets/a..", "/v1/runs?after=.."])
    await expect(callService(client, "DELETE", path)).rejects.toBeInstanceOf(UnreachableError);
});
