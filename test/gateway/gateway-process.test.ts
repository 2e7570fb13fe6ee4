import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { exchange } from "../harness/exchange.ts";
import { py } from "../harness/py.ts";
import { waitFor } from "../harness/wait-for.ts";
import { quickest } from "../harness/quickest.ts";
import { openScene } from "./scene.ts";

const scene = await openScene();
afterAll(() => scene.close());
const { openSandbox, get, asks } = scene;

test("a gateway that dies costs the calls in flight: the next call is answered by a new one", async () => {
  const { port, listener } = await openSandbox();
  expect(await asks(port)).toContain("heard 0");
  const first = scene.egress.gatewayPid() ?? 0;
  const cut = exchange(port, get("", scene.silent), 20_000);
  await sleep(100);
  process.kill(first, "SIGKILL");
  expect(await cut).toBe("");
  expect(await asks(port)).toContain("heard 0");
  expect(scene.egress.gatewayPid()).not.toBe(first);
  listener.close();
});

test("a gateway knows none of its worker's environment, and a signal to all processes doesn't take it from runs that go on", async () => {
  const { port, listener } = await openSandbox();
  await asks(port);
  const pid = scene.egress.gatewayPid() ?? 0;
  const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .map((entry) => entry.split("=")[0]);
  expect(environment.filter((name) => name !== "" && name !== "UV_THREADPOOL_SIZE").sort()).toEqual([
    "NODE_CHANNEL_FD",
    "NODE_CHANNEL_SERIALIZATION_MODE",
  ]);
  process.kill(pid, "SIGTERM");
  expect(await asks(port)).toContain("heard 0");
  expect(scene.egress.gatewayPid()).toBe(pid);
  listener.close();
});

test("a gateway ends when its worker is killed", async () => {
  const source = `
import { createServer } from "node:net";
import { createLog } from ${JSON.stringify(resolve("dist/shared/platform/log.js"))};
import { openEgress } from ${JSON.stringify(resolve("dist/worker/gateway/open-egress.js"))};
const server = createServer().listen(0, "127.0.0.1", () => {
  const options = { log_level: "silent", allow_hosts: [], allow_cidrs: [] };
  const script = new URL("file://" + ${JSON.stringify(resolve("dist/gateway/main.js"))});
  const keeper = new URL("file://" + ${JSON.stringify(resolve("dist/worker/keeper.js"))});
  const egress = openEgress({ script, keeper, options, log: createLog("x", "silent") });
  egress.open([]).take(server._handle);
  egress.faults().then(() => console.log(egress.gatewayPid()));
});`;
  const worker = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(worker.stdout, "data")) as [Buffer];
  const pid = Number(said.toString());
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  worker.kill("SIGKILL");
  await waitFor(
    () => !existsSync(`/proc/${pid}/exe`) || readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "),
    5_000,
  );
});

test("between two runs of a sandbox nothing of the first is left: not open, not waiting in the backlog", async () => {
  const { port, listener } = await openSandbox();
  await asks(port);
  const pid = scene.egress.gatewayPid() ?? 0;
  scene.heard.splice(0);
  const left = connect(port, "127.0.0.1").resume();
  await once(left, "connect");
  const inFlight = exchange(port, get("", scene.silent), 20_000);
  await sleep(100);
  // It can't accept: what connects now waits in the backlog, each with a whole request. Once it goes on, it hears of the end first.
  process.kill(pid, "SIGSTOP");
  const ended = listener.endRun();
  const waiting = Array.from({ length: 10 }, () => connect(port, "127.0.0.1"));
  const answers = waiting.map((socket) => text(socket).catch(() => ""));
  await Promise.all(waiting.map((socket) => once(socket, "connect")));
  for (const socket of waiting) socket.write(get());
  process.kill(pid, "SIGCONT");
  await ended;
  await waitFor(() => left.closed, 5_000);
  expect([await inFlight, ...(await Promise.all(answers))].join("")).toBe("");
  expect(await asks(port)).toContain("heard 0");
  expect(scene.heard).toHaveLength(1);

  // The same when the gateway is gone meanwhile.
  process.kill(pid, "SIGKILL");
  const orphans = Array.from({ length: 5 }, () => exchange(port, get(), 20_000));
  scene.heard.splice(0);
  await listener.endRun();
  await Promise.all(orphans);
  expect(scene.heard).toEqual([]);
  expect(await asks(port)).toContain("heard 0");
  listener.close();
}, 30_000);

test("the end of a sandbox closes its connections and its socket", async () => {
  const { port, listener } = await openSandbox();
  await asks(port);
  const open = exchange(port, get("", scene.silent), 20_000);
  await sleep(50);
  listener.close();
  expect(await open).toBe("");
  await waitFor(async () => {
    const probe = connect(port, "127.0.0.1");
    const [how] = await Promise.race([once(probe, "connect"), once(probe, "error").then(([error]) => [error])]).catch(
      (error: unknown) => [error],
    );
    probe.destroy();
    return how instanceof Error;
  }, 5_000);
});

test("a sandbox has 64 connections at most, and its neighbours have theirs", async () => {
  const [greedy, neighbour] = await Promise.all([openSandbox(), openSandbox()]);
  await asks(neighbour.port);
  const sockets = Array.from({ length: 200 }, () => connect(greedy.port, "127.0.0.1").on("error", () => undefined));
  for (const socket of sockets) socket.resume();
  await waitFor(() => sockets.filter((socket) => socket.readyState === "closed").length >= 136, 5_000);
  expect(sockets.filter((socket) => socket.readyState === "open")).toHaveLength(64);
  expect(await asks(neighbour.port)).toContain("heard 0");
  for (const socket of sockets) socket.destroy();
  greedy.listener.close();
  neighbour.listener.close();
});

test("a sandbox that connects as fast as it can leaves its neighbours their answers", async () => {
  const [greedy, neighbour] = await Promise.all([openSandbox(), openSandbox()]);
  await asks(neighbour.port);
  const source = py`
    import socket, sys, time
    end = time.time() + 3
    while time.time() < end:
        s = socket.socket(); s.connect(("127.0.0.1", ${greedy.port})); s.close()
  `;
  const floods = Array.from({ length: 4 }, () => spawn("python3", ["-c", source], { stdio: "ignore" }));
  onTestFinished(() => floods.forEach((flood) => flood.kill("SIGKILL")));
  await sleep(500);
  const timeOfAnswer = async (): Promise<number> => {
    const startedAt = performance.now();
    expect(await asks(neighbour.port)).toContain("heard 0");
    return performance.now() - startedAt;
  };
  for (let turn = 0; turn < 10; turn += 1) expect(await quickest(1_000, timeOfAnswer)).toBeLessThan(1_000);
  greedy.listener.close();
  neighbour.listener.close();
}, 30_000);
