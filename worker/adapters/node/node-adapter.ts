import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter } from "../adapter.ts";
import { resourcesOf } from "../../warm/launch-profile.ts";
import { createInterpreterPool } from "../../warm/interpreter-pool.ts";
import type { IdleCache } from "../../warm/idle-cache.ts";
import { runWarm } from "../../warm/run-warm.ts";
import { nodeCommand, type NodeRuntime } from "./node-command.ts";
import { createNodeInterpreter } from "./node-interpreter.ts";
import { readProgram } from "./read-program.ts";

/**
 * Runs JavaScript and TypeScript. Each run has a sandbox and a process of its own, since Node can't be forked. When a run
 * has ended, the process of the version's next run is started, loads the code, and waits for its request.
 */
export function createNodeAdapter(sandbox: Sandbox, node: NodeRuntime, idle: IdleCache): Adapter & { close(): void } {
  const program = readProgram("once");
  const pool = createInterpreterPool({
    idle,
    limitsCpuAtStart: true,
    prewarmsAtOnce: false,
    open: async (profile) => {
      const command = nodeCommand(node, program, resourcesOf(profile));
      return createNodeInterpreter(await sandbox.start({ ...command, egress: profile.egress }), node.typeStripper);
    },
  });
  return {
    run: (request, signal, replies) =>
      runWarm(pool, { request, packages: null, signal, replies, opening: [{ type: "started", warm: false }] }),
    close: () => pool.close(),
  };
}
