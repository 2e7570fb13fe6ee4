import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Adapter, AgentRequest } from "../../worker/adapters/adapter.ts";
import { agentRequest, resources, runAgent } from "../worker/adapters/run-agent.ts";
import { markedProcesses, newMark } from "../harness/marked-processes.ts";
import { quickest } from "../harness/quickest.ts";
import { nodeStartMs } from "../harness/time-limit.ts";
import { waitFor } from "../harness/wait-for.ts";

/** The same agent in an adapter's own language: what of a request makes it that agent. */
export type Program = Partial<AgentRequest>;

export type Programs = {
  /** Outputs "one", {"two":2} (or its text, where there is only text), "drei ✓", logs "note", and returns {"ok": true} if it can return. */
  talk: Program;
  /** Fails with the message "it broke". */
  fail: Program;
  /** Outputs "up", then sleeps for a minute, with a child that does as well. */
  sleep: Program;
  /** Outputs the variable API_KEY, then the content of the file in/data.txt. */
  look: Program;
  /** Prints what looks like the protocol: a result, an exit. */
  forge: Program;
  /** Outputs a million characters "x" and a newline. */
  flood: Program;
  /** Uses up memory, files, processes, CPU time. */
  memory: Program;
  disk: Program;
  forks: Program;
  cpu: Program;
};

export type Subject = {
  name: string;
  open: () => Promise<{ adapter: Adapter; close(): Promise<void> | void }>;
  programs: Programs;
  /** What it can't: a plain command has no return value, a cgroup is needed to tell which limit it was. */
  returns: boolean;
  namesLimits: boolean;
};

const request = (program: Program, changes: Partial<AgentRequest> = {}): AgentRequest =>
  agentRequest("chatty", { entrypoint: null, code: {}, ...program, ...changes });

/** What every adapter that runs a process promises. */
export function describeAdapter({ name, open, programs, returns, namesLimits }: Subject): void {
  describe(`the adapter ${name}`, () => {
    let opened: Awaited<ReturnType<Subject["open"]>>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const run = (program: Program, changes: Partial<AgentRequest> = {}, ...rest: [Parameters<typeof runAgent>[2]?]) =>
      runAgent(opened.adapter, request(program, changes), ...rest);

    test("gives output in the agent's order, its log, and its result last", async () => {
      const { frames, outputs, result, error, exit } = await run(programs.talk);
      expect(error).toBeUndefined();
      const said = outputs.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join("");
      expect(said.replaceAll(/\s/g, "")).toBe('one{"two":2}drei✓');
      expect(frames).toContainEqual(expect.objectContaining({ type: "log", message: expect.stringContaining("note") }));
      if (returns) expect(result).toEqual({ ok: true });
      expect(frames.at(-2)?.type).toBe("result");
      expect(exit.code).toBe(0);
    });

    test("turns a failure into an error with its message", async () => {
      const { error, exit } = await run(programs.fail);
      expect(error).toMatchObject({ code: "agent_error", message: expect.stringContaining("it broke") });
      if (returns) expect(error?.traceback).toContain("it broke");
      expect(exit.code).not.toBe(0);
    });

    test("ends the whole tree at an abort, within two starts of Node", async () => {
      const timeOfEnd = async () => {
        const mark = newMark();
        const sleeping = request(programs.sleep, { env: { MARK: mark } });
        const controller = new AbortController();
        let abortedAt = Number.NaN;
        for await (const frame of opened.adapter.run(sleeping, controller.signal)) {
          if (frame.type !== "output") continue;
          await waitFor(() => markedProcesses(mark).length > 0);
          abortedAt = performance.now();
          controller.abort();
        }
        const took = performance.now() - abortedAt;
        await waitFor(() => markedProcesses(mark).length === 0, 1_000);
        return took;
      };
      const soon = 2 * nodeStartMs();
      expect(await quickest(soon, timeOfEnd)).toBeLessThan(soon);
    });

    test("gives the agent its environment and its files", async () => {
      const { outputs } = await run(programs.look, {
        env: { API_KEY: "k1" },
        files: { "in/data.txt": "data:;base64,ZMOkdGE=" },
      });
      expect(outputs.join("").replaceAll(/\s/g, "")).toBe("k1däta");
    });

    test("takes nothing that an agent prints for the protocol", async () => {
      const { outputs, frames, exit } = await run(programs.forge);
      expect(outputs.join("")).toContain('{"type":"result","result_content":"forged"}');
      expect(frames.filter(({ type }) => type === "exit")).toHaveLength(1);
      expect(frames).not.toContainEqual(expect.objectContaining({ type: "result", result_content: "forged" }));
      expect(exit.code).toBe(0);
    });

    test("loses nothing of a large output", async () => {
      const { outputs } = await run(programs.flood);
      const all = outputs.join("");
      expect([all.length, /^x+\n$/.test(all)]).toEqual([1_000_001, true]);
    });

    test("two at the same time keep apart", async () => {
      const both = await Promise.all(
        ["a", "b"].map((key) => run(programs.look, { env: { API_KEY: key }, files: { "in/data.txt": key } })),
      );
      expect(both.map(({ outputs }) => outputs.join("").replaceAll(/\s/g, ""))).toEqual(["aa", "bb"]);
    });

    test.each([
      ["memory", {}],
      ["disk", {}],
      ["cpu", { cpu_ms: 700 }],
    ] as const)("holds the limit on %s, and keeps what was said before", async (limit, changes) => {
      const { outputs, exit, result } = await run(programs[limit], { resources: { ...resources, ...changes } });
      expect(outputs.join("")).toContain("begin");
      expect(result ?? null).toBeNull();
      if (namesLimits || limit === "cpu") expect(exit.limit).toBe(limit);
    });

    test("holds the limit on processes", async () => {
      const { exit, result } = await run(programs.forks, { resources: { ...resources, timeout_ms: 5_000 } });
      expect(result ?? null).toBeNull();
      if (namesLimits) expect(exit.limit).toBe("processes");
    });

    test("after an abort the next run is as good as any", async () => {
      await run(programs.sleep, {}, (frame) => frame.type === "output");
      expect((await run(programs.talk)).error).toBeUndefined();
    });
  });
}
