import { callService } from "../call-service.ts";
import { faultOf, type Json } from "../client.ts";
import type { Call, Command } from "../command.ts";

type Finding = { check: string; ok: boolean; says: string };

export const doctor: Command = {
  usage: "doctor",
  summary: "Checks what a run needs: this machine, the service and its parts, your key, the folder.",
  async act(call) {
    const findings: Finding[] = [nodeFinding()];
    for (const look of [folderFinding, healthFindings, keyFinding]) {
      const found = await look(call).catch((error: unknown) => faultFinding(look.name, error));
      findings.push(...found);
      if (found.some(({ ok }) => !ok) && look === healthFindings) break;
    }
    if (call.terminal.json) call.terminal.value({ data: findings });
    else for (const { check, ok, says } of findings) call.terminal.data(`${ok ? "✓" : "✗"} ${check}: ${says}`);
    return findings.every(({ ok }) => ok) ? 0 : 1;
  },
};

function faultFinding(name: string, error: unknown): Finding[] {
  const fault = faultOf(error);
  if (fault === null) throw error;
  return [{ check: name.replace(/Findings?$/, ""), ok: false, says: fault.message }];
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { check: "node", ok, says: `${process.versions.node}${ok ? "" : ", and 20.19 is the oldest that works"}` };
}

async function folderFinding({ project }: Call): Promise<Finding[]> {
  const { agent } = project;
  if (Object.keys(project).length === 0) return [{ check: "folder", ok: true, says: "no runfleet.json here" }];
  return [{ check: "folder", ok: true, says: `runfleet.json of ${agent ?? "an agent without a name"}` }];
}

async function healthFindings({ client }: Call): Promise<Finding[]> {
  const before = Date.now();
  const { body } = await callService(client, "GET", "/health");
  const { postgres, redis, workers, sandbox_levels: levels, sandbox_missing: missing, version } = body;
  const took = Date.now() - before;
  const says = `${client.url} answers after ${took} ms, version ${String(version)}`;
  return [
    { check: "service", ok: true, says },
    { check: "postgres", ok: postgres === "up", says: String(postgres) },
    { check: "redis", ok: redis === "up", says: String(redis) },
    { check: "workers", ok: Number(workers) > 0, says: `${String(workers)} alive` },
    sandboxFinding(levels as number[], missing as string[]),
  ];
}

/** A lower level works, but an author should know. */
function sandboxFinding(levels: number[], missing: string[]): Finding {
  const why = missing.length > 0 ? ` (no stronger one: ${missing.join("; ")})` : "";
  return { check: "sandbox", ok: levels.length > 0, says: `level ${levels.join(", ") || "none"}${why}` };
}

async function keyFinding({ client }: Call): Promise<Finding[]> {
  const [me, limits] = await Promise.all([
    callService(client, "GET", "/v1/users/me"),
    callService(client, "GET", "/v1/users/me/limits"),
  ]);
  const { queued, running } = limits.body["open_runs"] as Json;
  return [
    {
      check: "you",
      ok: true,
      says: `${String(me.body["id"])}, ${String(running)} runs running, ${String(queued)} queued`,
    },
  ];
}
