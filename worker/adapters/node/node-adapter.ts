import { runLimits } from "../../../shared/run/limits.ts";
import type { SandboxProcess } from "../../sandbox/process.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter, AgentRequest } from "../adapter.ts";
import { keepSpares } from "../keep-spares.ts";
import { readProcess } from "../read-process.ts";
import { nodeCommand, type NodeRuntime } from "./node-command.ts";
import { readProgram } from "./read-program.ts";

const sameResources = ["memory_bytes", "processes", "disk_bytes"] as const;

type Ground = Pick<AgentRequest, "resources" | "egress">;

/**
 * Runs JavaScript and TypeScript, each run in a fresh sandbox of its own. Node can't be forked; so that a run needn't wait
 * for its start, some that have read the runner stand ready and wait for their one request (measured in the commit that
 * brought this file). An `isolated` run is one of these as well: nobody's code ran in it before.
 */
export function createNodeAdapter(sandbox: Sandbox, node: NodeRuntime): Adapter & { close(): void } {
  const program = readProgram("once");
  const open = ({ resources, egress }: Ground): Promise<SandboxProcess> =>
    sandbox.start({ ...nodeCommand(node, program, resources), egress });
  // A run without a limit on CPU time of its own is held by its deadline.
  const usual: Ground = { resources: { ...runLimits, cpu_ms: runLimits.max_timeout_ms }, egress: null };
  const fits = ({ resources, egress }: Ground) =>
    egress === null &&
    resources.cpu_ms >= resources.timeout_ms &&
    sameResources.every((name) => resources[name] === usual.resources[name]);
  const spares = keepSpares({ open, usual, fits });
  return {
    async *run(request, signal) {
      const child = await spares.take(request);
      const { resources: _, egress: _egress, version_env: _env, requirements: _required, ...rest } = request;
      child.stdin.end(JSON.stringify({ ...rest, type_stripper: node.typeStripper }));
      yield* readProcess(child, { opening: [{ type: "started", warm: false }], signal });
    },
    close: () => spares.close(),
  };
}
