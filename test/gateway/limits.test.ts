import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../dev/free-port.ts";
import { createBufferLimits } from "../../gateway/buffer-limits.ts";
import { gatewayLimits } from "../../gateway/limits.ts";
import { createReach } from "../../gateway/reach-target.ts";
import { type ListenerResources, type ServedListener, serveListener } from "../../gateway/serve-listener.ts";
import { createTimeSlices } from "../../gateway/share-event-loop.ts";
import type { CallEnded, OpenConnection } from "../../shared/schemas/gateway.ts";
import { listen } from "./scene.ts";

const limits = { ...gatewayLimits, connectionsInAll: 6, connectionsAlways: 2, readings: 2 };

/** What the listeners of a gateway share, and what they told of calls' ends. */
function openShared(): { shared: ListenerResources; ended: CallEnded[] } {
  const ended: CallEnded[] = [];
  const buffers = createBufferLimits({ ofOne: 1e6, inAll: 1e6, always: 1e6 });
  let call = 0;
  const desk: ListenerResources["desk"] = {
    ask: async () => ({
      call: (call += 1),
      answer: { kind: "go", number: call, output_most: null, entry_key: `call:${call}` },
    }),
    keep: async () => true,
    leave: () => undefined,
    end: (_call, end) => void ended.push(end),
    hear: () => undefined,
    handOver: () => 0,
  };
  const turns = createTimeSlices();
  const guard: ListenerResources["guard"] = (_socket, act) => void act().catch(() => undefined);
  return { shared: { limits, open: new Set(), desk, requests: buffers, answers: buffers, turns, guard }, ended };
}

/** `to`: a host that its connections' services may be at. */
async function openSandbox(
  shared: ListenerResources,
  id: number,
  to = "none.example",
): Promise<{ port: number; served: ServedListener }> {
  const port = await freePort();
  const reach = createReach({ allowHosts: [to], allowCidrs: ["127.0.0.0/8"] }, null, limits);
  const state = { id, reach, reachService: reach, isForConnections: true, draining: false };
  const served = serveListener({ ...state, socket: { port, host: "127.0.0.1" } }, shared);
  onTestFinished(() => served.close());
  const isOpen = async () => {
    const probe = connect(port, "127.0.0.1");
    const [error] = await Promise.race([once(probe, "connect"), once(probe, "error")]);
    probe.destroy();
    return error === undefined;
  };
  await expect.poll(isOpen, { timeout: 5_000 }).toBe(true);
  // The probe's connection ends a moment after the probe.
  await expect.poll(() => shared.open.size, { timeout: 5_000 }).toBe(0);
  return { port, served };
}

test("sandboxes that take all of the gateway's connections leave every other sandbox some", async () => {
  const { shared } = openShared();
  const [greedy, other] = [await openSandbox(shared, 1), await openSandbox(shared, 2)];
  const dial = (port: number): Socket => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    return socket.resume();
  };
  const taken = Array.from({ length: 10 }, () => dial(greedy.port));
  await expect.poll(() => taken.filter(({ closed }) => closed).length, { timeout: 5_000 }).toBe(4);
  const own = Array.from({ length: 4 }, () => dial(other.port));
  await expect.poll(() => own.filter(({ closed }) => closed).length, { timeout: 5_000 }).toBe(2);
  expect([taken, own].map((all) => all.filter(({ closed }) => !closed).length)).toEqual([6, 2]);
});

test("of calls whose clients have gone only so many are read on: the oldest is cut", async () => {
  const answering: ServerResponse[] = [];
  const service = createServer((req, res) => void req.resume().once("end", () => answering.push(res)));
  onTestFinished(() => {
    service.close();
    service.closeAllConnections();
  });
  const host = `127.0.0.1:${await listen(service)}`;
  const base_url = `http://${host}/v1`;
  const connection: OpenConnection = {
    ...{ name: "openai", preset: "openai", base_url, kind: "bearer", header: null, username: null },
    ...{ secret: "sk-0123456789abcdef", requests_per_minute: null, tokens_per_minute: null },
  };
  const { shared, ended } = openShared();
  const { port, served } = await openSandbox(shared, 1, host);
  served.beginRun({ run_id: "run_1", attempt: 1, connections: [connection], approvals: [], certificates: [] });
  const body = JSON.stringify({ model: "gpt-5-mini", messages: [] });
  for (let count = 1; count <= 4; count += 1) {
    const gone = new AbortController();
    const asking = fetch(`http://127.0.0.1:${port}/openai/chat/completions`, {
      ...{ method: "POST", body, signal: gone.signal, headers: { "content-type": "application/json" } },
    });
    await expect.poll(() => answering.length, { timeout: 5_000 }).toBe(count);
    gone.abort();
    await expect(asking).rejects.toThrow(/abort/i);
    await expect.poll(() => ended.length, { timeout: 5_000 }).toBe(Math.max(0, count - limits.readings));
  }
  expect(ended.map(({ status, is_lost }) => [status, is_lost])).toEqual([
    [null, true],
    [null, true],
  ]);
  for (const res of answering) res.end("{}");
  await expect.poll(() => ended.length, { timeout: 5_000 }).toBe(4);
});
