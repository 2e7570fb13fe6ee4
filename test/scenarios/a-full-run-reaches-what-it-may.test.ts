import { createServer } from "node:http";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { openTestStack, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const seen: string[] = [];
const target = createServer((req, res) => {
  seen.push(`${req.method} ${req.url} ${req.headers.host}`);
  let body = "";
  req.on("data", (chunk) => (body += String(chunk)));
  req.on("end", () => res.writeHead(201, { "x-kind": "target" }).end(`heard ${body.length}`));
});

await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
const { port } = target.address() as AddressInfo;
const stack = await useTestStack();
const { url } = await stack.startService({
  worker: { EGRESS_ALLOW: `localhost:${port},*`, EGRESS_ALLOW_CIDRS: "127.0.0.0/8" },
});
afterAll(() => target.close());

/** Asks by Python's own client, through the proxy that it finds in its environment; for `localhost` as well. */
const asks = py`
  import http.client, json, os, socket, urllib.error, urllib.request
  def ask(address, data=None):
      try:
          with urllib.request.urlopen(urllib.request.Request(address, data), timeout=10) as answer:
              return [answer.status, answer.headers.get("x-kind"), answer.read().decode()]
      except urllib.error.HTTPError as error:
          return [error.code, None, error.read().decode()]
      except Exception as error:
          return [0, None, type(error).__name__]
  def tunnel(host, port):
      proxy = os.environ.get("HTTPS_PROXY", "").rpartition("/")[2].partition(":")
      if not proxy[0]: return "no proxy"
      connection = http.client.HTTPConnection(proxy[0], int(proxy[2]), timeout=10)
      connection.set_tunnel(host, port)
      try:
          connection.request("GET", "/tunnelled")
          return connection.getresponse().read().decode()
      except OSError as error:
          return str(error)
  def direct(host, port):
      try:
          socket.create_connection((host, port), timeout=3).close()
          return "reached"
      except OSError as error:
          return "unreachable"
  def main(input):
      return {"ask": ask(input["url"], b"x" * 300_000), "tunnel": tunnel(*input["tunnel"]), "direct": direct("127.0.0.1", input["tunnel"][1])}
`;

const run = async (agent_id: string, runtime_mode: string, host: string) => {
  const input_payload = { url: `http://${host}:${port}/plain?q=1`, tunnel: [host, port] };
  const events = await readEvents(await execute(url, { agent_id, version: "current", runtime_mode, input_payload }));
  return events.at(-1)?.data["result_content"];
};

test("a full run reaches the hosts that its config names, by the usual clients, and nothing else", async () => {
  const agent_id = await makeAgent(url, asks, { network: { allow: [`localhost:${port}`] }, env: { no_proxy: "" } });
  for (let turn = 0; turn < 2; turn += 1)
    expect(await run(agent_id, "full", "localhost")).toEqual({
      ask: [201, "target", "heard 300000"],
      tunnel: "heard 0",
      direct: "unreachable",
    });
  expect(seen).toEqual(
    expect.arrayContaining([`POST /plain?q=1 localhost:${port}`, `GET /tunnelled localhost:${port}`]),
  );
  expect(await run(agent_id, "full", "127.0.0.1")).toMatchObject({
    ask: [
      403,
      null,
      `The agent's config doesn't allow 127.0.0.1:${port}. An entry without a port means 80 and 443 only.`,
    ],
    tunnel: expect.stringContaining("403"),
  });
});

test("a standard run, and a full one whose config names nothing, have no network", async () => {
  const named = await makeAgent(url, asks, { network: { allow: [`localhost:${port}`] }, env: { no_proxy: "" } });
  const none = await makeAgent(url, asks);
  for (const [agent, mode] of [
    [named, "standard"],
    [named, "isolated"],
    [none, "full"],
  ] as const)
    expect(await run(agent, mode, "localhost")).toEqual({
      ask: [0, null, expect.stringContaining("Error")],
      tunnel: "no proxy",
      direct: "unreachable",
    });
});

test("what an agent's config allows doesn't go beyond what the deployment does, nor to private addresses", async () => {
  const strict = await openTestStack();
  const api = (await strict.openApi()).url;
  await strict.start("worker", { EGRESS_ALLOW: `localhost:${port},10.0.0.1` });
  const agent_id = await makeAgent(api, asks, { network: { allow: ["*", `*:${port}`] }, env: { no_proxy: "" } });
  const answers = async (host: string, asked: number) => {
    const input_payload = { url: `http://${host}:${asked}/`, tunnel: [host, asked] };
    const events = await readEvents(
      await execute(api, { agent_id, version: "current", runtime_mode: "full", input_payload }),
    );
    return events.at(-1)?.data["result_content"];
  };
  expect(await answers("localhost", port)).toMatchObject({
    ask: [403, null, "localhost is at a private or reserved address."],
  });
  expect(await answers("10.0.0.1", 80)).toMatchObject({
    ask: [403, null, "10.0.0.1 is at a private or reserved address."],
  });
  expect(await answers("example.org", 443)).toMatchObject({
    ask: [403, null, "This deployment doesn't allow example.org:443 (EGRESS_ALLOW)."],
  });
  await strict.close();
});

test("node and command agents get out the same way", async () => {
  const source = `
import http from "node:http";
export default async function main() {
  const { hostname, port } = new URL(process.env.HTTP_PROXY);
  return new Promise((resolve, reject) => {
    http.get({ hostname, port, path: "http://localhost:" + process.env.TARGET + "/from-node", headers: { host: "x" } }, async (answer) => {
      let text = "";
      for await (const chunk of answer) text += chunk;
      resolve({ status: answer.statusCode, text });
    }).on("error", reject);
  });
}`;
  const { body } = await call(url, "POST", "/v1/agents", {
    user_id: "tester",
    name: "node",
    config: { source, adapter_type: "node", env: { TARGET: String(port) }, network: { allow: [`localhost:${port}`] } },
  });
  const answer = await execute(url, {
    agent_id: body["id"],
    version: "current",
    adapter_type: "node",
    runtime_mode: "full",
    input_payload: {},
  });
  expect((await readEvents(answer)).at(-1)?.data).toMatchObject({
    error: null,
    result_content: { status: 201, text: "heard 0" },
  });
  expect(seen).toContain(`GET /from-node localhost:${port}`);
});

test("Node's own clients find the way out, and tell why there is none", async () => {
  const source = `
import { get } from "node:http";
import { createServer } from "node:http";
const getText = (address) => new Promise((resolve, reject) => {
  get(address, async (answer) => {
    let text = "";
    for await (const chunk of answer) text += chunk;
    resolve([answer.statusCode, text]);
  }).on("error", reject);
});
const fetchText = async (address) => {
  const answer = await fetch(address, { method: "POST", body: "x".repeat(300_000) });
  return [answer.status, await answer.text()];
};
const why = (error) => (error.cause ?? error).message;
export const main = async ({ target, other }) => {
  const own = createServer((_req, res) => res.end("own"));
  await new Promise((resolve) => own.listen(0, "127.0.0.1", resolve));
  const there = "http://127.0.0.1:" + own.address().port;
  return Promise.all([
    getText(target), fetchText(target), fetchText(target), getText(there), fetchText(there),
    getText(other).catch(why), fetchText(other).catch(why), fetchText(other.replace("http:", "https:")).catch(why),
  ]);
};`;
  const agent_id = await makeAgent(url, source, {
    adapter_type: "node",
    network: { allow: [`localhost:${port}`] },
    env: { no_proxy: "127.0.0.1" },
  });
  const input_payload = { target: `http://localhost:${port}/own`, other: "http://other.test:81/" };
  const play = async () =>
    (await readEvents(await execute(url, { agent_id, version: "current", runtime_mode: "full", input_payload }))).at(-1)
      ?.data["result_content"];
  const refusal =
    "The proxy refused other.test:81: The agent's config doesn't allow other.test:81. An entry without a port means 80 and 443 only.";
  const heard = [201, "heard 300000"];
  const own = [200, "own"];
  for (let turn = 0; turn < 2; turn += 1)
    expect(await play()).toEqual({ output: [[201, "heard 0"], heard, heard, own, own, refusal, refusal, refusal] });
});

/** Bytes to the proxy as they are, and the status line that comes back; a call that is cut is made again. */
const rude = `
import json, os, socket, time
def say(proxy, text):
    with socket.create_connection(proxy, timeout=10) as s:
        s.sendall(text.encode("latin-1"))
        return s.recv(4096).decode("latin-1").split("\\r\\n")[0]
def main(input):
    host, _, port = os.environ["HTTP_PROXY"].rpartition("/")[2].partition(":")
    proxy, at = (host, int(port)), input["at"]
    get = lambda path, fields="": f"GET http://{at}{path} HTTP/1.1\\r\\nHost: x\\r\\n{fields}Connection: close\\r\\n\\r\\n"
    answers = [say(proxy, get("/", "Trailer: X\\r\\n")), say(proxy, get("/000")), say(proxy, get("/"))]
    yield answers
    seen = []
    while not seen or seen[-1] != "HTTP/1.1 200 OK" or "cut" not in seen:
        try: seen.append(say(proxy, get("/slow")) or "cut")
        except OSError: seen.append("cut")
        time.sleep(0.05)
    return seen[-1]
`;

test("neither what an agent sends nor what it is answered ends a worker, and a gateway that dies costs a call", async () => {
  const plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  let isInFlight = false;
  const odd = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (head) => {
      const path = head.toString().split(" ")[1];
      // The first slow call is never answered: it is in flight when the gateway dies.
      if (path === "/slow" && !isInFlight) isInFlight = true;
      else socket.end(path === "/000" ? "HTTP/1.1 000 Nothing\r\n\r\n" : plain);
    });
  });
  await once(odd.listen(0, "127.0.0.1"), "listening");
  const at = `localhost:${(odd.address() as AddressInfo).port}`;
  const own = await openTestStack();
  const api = (await own.openApi()).url;
  const worker = await own.start("worker", { EGRESS_ALLOW: at, EGRESS_ALLOW_CIDRS: "127.0.0.0/8" });
  const agent_id = await makeAgent(api, rude, { network: { allow: [at] } });
  const answer = await execute(api, { agent_id, version: "current", runtime_mode: "full", input_payload: { at } });
  const gateway = await waitFor(async () => {
    const pids = (await readFile(`/proc/${worker.child.pid}/task/${worker.child.pid}/children`, "utf8")).split(" ");
    const found = await Promise.all(
      pids.map(async (pid) =>
        (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).includes("gateway/main.js"),
      ),
    );
    return Number(pids[found.indexOf(true)] ?? 0);
  }, 20_000);
  await waitFor(() => isInFlight, 20_000);
  process.kill(gateway, "SIGKILL");
  const events = await readEvents(answer);
  expect(events.find(({ event }) => event === "output.delta")?.data["content"]).toEqual([
    "HTTP/1.1 200 OK",
    "HTTP/1.1 502 Bad Gateway",
    "HTTP/1.1 200 OK",
  ]);
  expect(events.at(-1)).toMatchObject({
    event: "run.success",
    data: { attempt: 1, result_content: { output: "HTTP/1.1 200 OK" } },
  });
  expect(worker.child.exitCode).toBe(null);
  odd.close();
  await own.close();
}, 60_000);

test("a pattern that is none is refused with its place", async () => {
  const { status, body } = await call(url, "POST", "/v1/agents", {
    user_id: "tester",
    name: "agent",
    config: { source: "", network: { allow: ["http://a.org/"] } },
  });
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain('"allow",0');
});
