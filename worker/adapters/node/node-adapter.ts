import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runLimits } from "../../../shared/run/limits.ts";
import type { SandboxCommand, SandboxProcess } from "../../sandbox/process.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter, AgentRequest } from "../adapter.ts";
import { keepSpares } from "../keep-spares.ts";
import { readProcess } from "../read-process.ts";

/** What makes JavaScript of TypeScript: one WebAssembly file without dependencies, shown to the sandbox read-only. */
const typeStripper = fileURLToPath(import.meta.resolve("@swc/wasm-typescript"));
const megabyte = 1024 * 1024;
const sameResources = ["memory_bytes", "processes", "disk_bytes"] as const;

type Ground = Pick<AgentRequest, "resources" | "egress">;

/**
 * Runs JavaScript and TypeScript, each run in a fresh sandbox of its own. Node can't be forked; so that a run needn't wait
 * for its start, some that have read the runner stand ready and wait for their one request (measured in the commit that
 * brought this file). An `isolated` run is one of these as well: nobody's code ran in it before.
 */
export function createNodeAdapter(sandbox: Sandbox, node: string): Adapter & { close(): void } {
  const runner = readFileSync(new URL("./runner.mjs", import.meta.url), "utf8");
  const open = ({ resources, egress }: Ground): Promise<SandboxProcess> =>
    sandbox.start({
      argv: argvOf(node, runner, resources),
      env: {},
      readOnly: [node, dirname(typeStripper)],
      resources,
      egress,
      reservesAddresses: true,
    });
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
      child.stdin.end(JSON.stringify({ ...rest, type_stripper: typeStripper }));
      yield* readProcess(child, { opening: [{ type: "started", warm: false }], signal });
    },
    close: () => spares.close(),
  };
}

/** V8 gives up by itself before the sandbox's limit ends it without a word. */
function argvOf(node: string, runner: string, { memory_bytes }: { memory_bytes: number }): SandboxCommand["argv"] {
  const heap = Math.floor((memory_bytes / megabyte) * 0.75);
  return [node, `--max-old-space-size=${heap}`, "--no-warnings", "--input-type=module", "-e", runner];
}
