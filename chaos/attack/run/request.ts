import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { AgentRequest } from "../../../worker/adapters/adapter.ts";
import type { Attack, Kind } from "../attack.ts";

const MiB = 1024 * 1024;
const read = (name: string): string => readFileSync(new URL(`../agents/${name}`, import.meta.url), "utf8");
const probes = { python: read("probe.py"), node: read("probe.mjs") };

export const isNode = (kind: Kind): boolean => kind.startsWith("node");

/** Returns the program's files: its own, and the probe that all programs use. */
function filesOf({
  kind,
  program,
}: Pick<Attack, "kind" | "program">): [entrypoint: string, code: Record<string, string>] {
  if (kind === "command") return ["main.sh", { "main.sh": program }];
  if (isNode(kind)) {
    const ending =
      kind !== "node daemon"
        ? "export const main = (input) => act(attack, input);"
        : "export const onMessage = (input) => act(attack, input);";
    const body = `import { act, burn, others, probe, quietly, worked } from "./probe.mjs";\n${program}\n${ending}\n`;
    return ["main.mjs", { "main.mjs": body, "probe.mjs": probes.node }];
  }
  const name = kind === "python daemon" ? "on_message" : "main";
  const body = `import _socket\nfrom probe import *\n${program}\ndef ${name}(input):\n    return act(globals(), input)\n`;
  return ["main.py", { "main.py": body, "probe.py": probes.python }];
}

type Asked = Pick<Attack, "name" | "kind" | "program" | "mode" | "timeoutMs" | "inputBytes" | "cpuMs">;
let count = 0;

/** Returns the request of a run. Each attack has a version of its own. */
export function requestFor(attack: Asked, step: "probe" | "attack"): AgentRequest {
  const [entrypoint, code] = filesOf(attack);
  const version = hash("sha1", JSON.stringify([attack.name, attack.mode, code]));
  return {
    run_id: `run_${++count}`,
    attempt: 1,
    user_id: attack.name,
    agent_id: "agent",
    version,
    config_hash: version,
    thread_id: "thread",
    runtime_mode: attack.mode,
    lifecycle: "serverless",
    entrypoint,
    command: attack.kind === "command" ? ["/bin/sh", "main.sh", step] : null,
    url: null,
    image: null,
    output: "text",
    code,
    files: {},
    requirements: [],
    lock: null,
    input_payload: { mode: step, ...(attack.inputBytes > 0 ? { filling: "x".repeat(attack.inputBytes) } : {}) },
    history: [],
    answers: [],
    state_snapshot: "",
    metadata: {},
    env: {},
    version_env: {},
    resources: {
      timeout_ms: attack.timeoutMs,
      cpu_ms: attack.cpuMs,
      memory_bytes: 192 * MiB,
      processes: 32,
      disk_bytes: 16 * MiB,
    },
    egress: null,
    stop_grace_ms: 0,
    idle_timeout_ms: 60_000,
  };
}
