import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { type ApiKeyBody, Runfleet } from "../sdk/ts/index.ts";
import type { Call } from "./command.ts";
import { openPage } from "./open-page.ts";

/**
 * Asks the person in the browser for a key. The console, where they are signed in, leads the browser to a port of this machine with a
 * code that is good for one session, and the session makes the key. So no key is ever in an address.
 */
export async function keyByBrowser(
  url: string,
  call: Pick<Call, "env" | "terminal">,
  signal: AbortSignal,
): Promise<string> {
  const state = randomBytes(16).toString("hex");
  const server = createServer();
  server.listen(0, "127.0.0.1");
  try {
    await once(server, "listening", { signal });
    const { port } = server.address() as AddressInfo;
    const query = new URLSearchParams({ port: String(port), state, name: nameOfKey() });
    const address = `${url}/console/approve?${query.toString()}`;
    call.terminal.say(`Approve in the browser: ${address}`);
    openPage(address, call);
    return await makeKey(url, await codeOf(server, state, signal));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Only what the browser brings with this login's own `state` counts. */
async function codeOf(server: ReturnType<typeof createServer>, state: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const [request, response] = await once(server, "request", { signal });
    const given = new URL(String(request.url), "http://127.0.0.1").searchParams;
    const code = given.get("state") === state ? given.get("code") : null;
    response.writeHead(code === null ? 400 : 200, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(code === null ? "This address is of another login." : "Signed in. Go on in the terminal.");
    if (code !== null) return code;
  }
}

async function makeKey(url: string, code: string): Promise<string> {
  const client = clientWithSession(url);
  const { scopes } = await client.sessions.create({ code });
  const { key } = await client.users.createApiKey({ name: nameOfKey(), scopes: scopes as ApiKeyBody["scopes"] });
  await client.sessions.endCurrent();
  return key;
}

const nameOfKey = (): string => `runfleet on ${hostname()}`.slice(0, 100);

/** Returns a client that has the cookie of its session, as the console does, and no key. */
function clientWithSession(url: string): Runfleet {
  const kept = { cookie: "" };
  return new Runfleet({
    url,
    fetch: async (input, { headers, ...init } = {}) => {
      const { authorization: _key, ...others } = headers as Record<string, string>;
      const own = { origin: new URL(url).origin, "x-runfleet-console": "1", ...(kept.cookie && kept) };
      const response = await fetch(input, { ...init, headers: { ...others, ...own } });
      kept.cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? kept.cookie;
      return response;
    },
  });
}
