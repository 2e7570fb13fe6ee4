import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter } from "../adapter.ts";
import { resourcesOf } from "../../warm/ground.ts";
import { createInterpreterPool } from "../../warm/interpreter-pool.ts";
import type { IdleInterpreters } from "../../warm/keep-idle.ts";
import { playWarm } from "../../warm/play-warm.ts";
import { nodeCommand, type NodeRuntime } from "./node-command.ts";
import { takeOverNode } from "./node-interpreter.ts";
import { readProgram } from "./read-program.ts";

/**
 * Runs JavaScript and TypeScript, each run in a fresh sandbox and process of its own. Node can't be forked; so when a run
 * has ended, the process of the version's next one is started and loads the code, and waits for its one request.
 */
export function createNodeAdapter(
  sandbox: Sandbox,
  node: NodeRuntime,
  idle: IdleInterpreters,
): Adapter & { close(): void } {
  const program = readProgram("once");
  const pool = createInterpreterPool({
    idle,
    limitsCpuAtStart: true,
    open: async (ground) => {
      const command = nodeCommand(node, program, resourcesOf(ground));
      return takeOverNode(await sandbox.start({ ...command, egress: ground.egress }), node.typeStripper);
    },
  });
  return {
    run: (request, signal) =>
      playWarm(pool, { request, packages: null, signal, opening: [{ type: "started", warm: false }] }),
    close: () => pool.close(),
  };
}
