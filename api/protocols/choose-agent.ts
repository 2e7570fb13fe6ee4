import { notFound } from "../../shared/domain/errors/app-error.ts";
import { versionName } from "../../shared/schemas/agent.ts";
import { clientId } from "../../shared/schemas/primitives.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import type { VersionCache } from "../../shared/services/runs/version-cache.ts";

export type NamedAgent = { agent_id: string; version: string };

/**
 * Returns the agent and the version that a name means: `agent`, `agent@tag` or `agent@1.2.0`. An agent whose id is the whole
 * name comes first. Throws not_found for a text that is no id.
 */
export async function chooseAgent(
  { versions }: { versions: Pick<VersionCache, "resolve"> },
  name: string,
  owner: Owner,
): Promise<NamedAgent> {
  const at = name.lastIndexOf("@");
  const whole = { agent_id: name, version: "current" };
  const isId = clientId().safeParse(name).success;
  if (isId && (at < 1 || at === name.length - 1)) return whole;
  const isWhole = isId && !("missing" in (await versions.resolve(name, "current", owner)));
  if (isWhole) return whole;
  const [agent_id, version] = [name.slice(0, at), name.slice(at + 1)];
  const isNamed = clientId().safeParse(agent_id).success && versionName().safeParse(version).success;
  if (at < 1 || !isNamed) throw notFound("agent", name);
  return { agent_id, version };
}
