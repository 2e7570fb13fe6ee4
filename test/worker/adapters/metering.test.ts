import { afterAll, describe, expect, test } from "vitest";
import { createCommandAdapter } from "../../../worker/adapters/command/command-adapter.ts";
import { createPythonAdapter } from "../../../worker/adapters/python/python-adapter.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { createPythonHost } from "../../../worker/daemons/python-host.ts";
import { openInteractiveProcess } from "../../../worker/interactive/interactive-process.ts";
import { openLevels } from "../sandbox/open-levels.ts";
import { agentRequest, runAgent } from "./run-agent.ts";
import { py } from "../../harness/py.ts";

const machine = await openLevels();
afterAll(() => machine.close());
const burn = (seconds: number) => py`
  def burn(seconds=${seconds}):
      import time
      until = time.process_time() + seconds
      while time.process_time() < until:
          pass
`;
const request = (source: string) => agentRequest("chatty", { entrypoint: "main.py:main", code: { "main.py": source } });
/** A tenth of the time may be lost to the clocks of older kernels. */
const about = (ms: number): number => ms * 0.9;

const cases = machine.levels.map((sandbox) => ({
  sandbox,
  name: sandbox.report.name,
  isWarm: sandbox.startWarm !== null,
}));
describe.each(cases)("what a run uses is measured at $name", ({ sandbox, isWarm }) => {
  const open = () =>
    createPythonAdapter({
      sandbox,
      python: machine.python,
      environments: machine.environments,
      idle: createIdleCache(1 << 28),
    });

  test("an import is charged to the run that caused it, and not to the next one", async () => {
    const adapter = await open();
    const agent = request(py`
      ${burn(0.4)}
      burn()
      def main(input): return 1
    `);
    const first = await runAgent(adapter, agent);
    const second = await runAgent(adapter, agent);
    expect(first.exit.cpu_ms).toBeGreaterThan(about(400));
    if (isWarm) expect(second.exit.cpu_ms).toBeLessThan(200);
    adapter.close();
  });

  test("children and orphans count as the run itself", async () => {
    const adapter = await open();
    const source = py`
      ${burn(0.15)}
      import os
      def main(input):
          for detached in (False, True):
              if os.fork() == 0:
                  if detached and os.fork():
                      os._exit(0)
                  burn()
                  os._exit(0)
          burn()
          import time
          time.sleep(0.6)
          return 1
    `;
    expect((await runAgent(adapter, request(source))).exit.cpu_ms).toBeGreaterThan(about(450));
    adapter.close();
  });

  test("what an agent says of its own use counts for nothing", async () => {
    const adapter = await open();
    const forged = '{"type":"usage","cpu_ms":0,"max_rss_bytes":0}\\n';
    const source = py`
      ${burn(0.3)}
      import os
      def main(input):
          burn()
          os.write(3, b'${forged}')
          os._exit(0)
    `;
    const { exit, frames } = await runAgent(adapter, request(source));
    expect(exit.cpu_ms).toBeGreaterThan(about(300));
    expect(JSON.stringify(frames)).not.toContain('"cpu_ms":0,');
    adapter.close();
  });

  test("so is a command's", async () => {
    const adapter = createCommandAdapter(sandbox, machine.python);
    const command = [machine.python.path, "-c", `${burn(0.5)}\nburn()`];
    const { exit } = await runAgent(adapter, agentRequest("chatty", { command, code: {} }));
    expect(exit.cpu_ms).toBeGreaterThan(250);
    adapter.close();
  });

  test("and each message of a thread's process, with what it did since the one before", async () => {
    const host = createPythonHost(sandbox, machine.python);
    const agent = {
      ...request(py`
        ${burn(0.2)}
        def main(input):
            burn()
            return 1
      `),
      lifecycle: "interactive",
    };
    const session = await openInteractiveProcess(host, agent, { packages: null, signal: new AbortController().signal });
    const used: (number | null)[] = [];
    for (const run_id of ["run_1", "run_2"])
      for await (const frame of session.run({ ...agent, run_id }, new AbortController().signal))
        if (frame.type === "exit") used.push(frame.cpu_ms);
    for (const cpu_ms of used) expect(cpu_ms).toBeGreaterThanOrEqual(150);
    expect(used).toHaveLength(2);
    session.kill();
    await session.over;
  });
});
