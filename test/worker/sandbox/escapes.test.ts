import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPythonAdapter } from "../../../worker/adapters/python/python-adapter.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { agentRequest, runAgent } from "../adapters/run-agent.ts";
import { openLevels } from "./open-levels.ts";

/** What the hostile agents are told to go for: it is all on this machine, and open to this process. */
const directory = mkdtempSync(join(tmpdir(), "treasure-"));
const mark = `mark-${Math.random().toString(36).slice(2)}`;
/** As long as a name can be: Node pads shorter ones with zeros. */
const abstract = mark.padEnd(107, "-");
const servers: Server[] = [];
const machine = await openLevels();
let targets: Record<string, unknown>;

const listen = async (where: string | number): Promise<Server> => {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(where, resolve));
  return server;
};

beforeAll(async () => {
  writeFileSync(join(directory, "secret"), mark, { mode: 0o644 });
  chmodSync(directory, 0o755);
  await listen(join(directory, "socket"));
  chmodSync(join(directory, "socket"), 0o777);
  await listen(`\0${abstract}`);
  process.env["TREASURE"] = mark;
  targets = {
    mark,
    pid: process.pid,
    project: process.cwd(),
    secret_file: join(directory, "secret"),
    socket: join(directory, "socket"),
    abstract,
    port: ((await listen(0)).address() as AddressInfo).port,
  };
});
afterAll(async () => {
  for (const server of servers) server.close();
  await machine.close();
  await rm(directory, { recursive: true });
});

const cases = machine.levels
  .filter(({ report }) => report.level > 0)
  .flatMap((sandbox) => ["standard", "isolated"].map((mode) => ({ sandbox, mode, name: sandbox.report.name })));

describe.each(cases)("$name, $mode", ({ sandbox, mode }) => {
  test("no hostile agent gets out, and the run after it finds the sandbox whole", async () => {
    const adapter = await createPythonAdapter({
      sandbox,
      python: machine.python,
      environments: machine.environments,
      idle: createIdleCache(1 << 28),
    });
    try {
      const request = agentRequest("escapes", {
        input_payload: targets,
        runtime_mode: mode,
        entrypoint: "escapes.py:main",
      });
      for (let round = 0; round < 2; round += 1) {
        const { result, error } = await runAgent(adapter, request);
        expect(error).toBeUndefined();
        const { tried, escaped } = result as { tried: number; escaped: string[] };
        expect(tried).toBeGreaterThanOrEqual(68);
        expect(escaped).toEqual([]);
      }
    } finally {
      adapter.close();
    }
  });
});

test("without isolation the same agents do get out: the attempts are real", async () => {
  const bare = machine.levels.find(({ report }) => report.name === "process");
  if (!bare) throw new Error("level 0 is everywhere");
  const adapter = await createPythonAdapter({
    sandbox: bare,
    python: machine.python,
    environments: machine.environments,
    idle: createIdleCache(0),
  });
  const only = [
    "host_secret",
    "symlink_out",
    "tcp",
    "unix_socket",
    "abstract_socket",
    "netlink",
    "system_v_memory",
    "unix_datagram",
  ];
  const { result } = await runAgent(adapter, agentRequest("escapes", { input_payload: { ...targets, only } }));
  expect((result as { escaped: string[] }).escaped.toSorted()).toEqual(only.toSorted());
});
