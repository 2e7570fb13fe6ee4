import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "./exit-codes.ts";

/** `runfleet.json` beside an agent's code. What the code or its package file says isn't said again there. */
export type Project = {
  agent?: string;
  name?: string;
  entrypoint?: string;
  config?: Record<string, unknown>;
  ignore?: string[];
  /** What langgraph.json says and an agent doesn't have. */
  notes?: string[];
  profiles?: Record<string, Profile>;
};

export type Profile = { url?: string; api_key?: string };

export type Settings = { url: string; apiKey: string | null };

/** The flags that every command knows. */
export type CommonFlags = { url?: string | undefined; profile?: string | undefined; json?: boolean | undefined };

/** Where `npm run dev` and `runfleet up` listen. */
export const standardUrl = "http://127.0.0.1:8080";

/**
 * Returns where the service is: by flag, RUNFLEET_URL and RUNFLEET_API_KEY, the user's own config, a named profile of
 * runfleet.json, the standard address. An empty variable counts as none: a CI sets one for a secret that isn't there.
 */
export function readSettings(flags: CommonFlags, project: () => Project, env: NodeJS.ProcessEnv): Settings {
  const profile = readProfile(flags.profile ?? (env["RUNFLEET_PROFILE"] || undefined), project, env);
  const url = flags.url ?? (env["RUNFLEET_URL"] || (profile.url ?? standardUrl));
  if (!URL.canParse(url)) throw new Fault("usage", `'${url}' is no URL.`);
  return { url: url.replace(/\/+$/, ""), apiKey: env["RUNFLEET_API_KEY"] || (profile.api_key ?? null) };
}

function readProfile(name: string | undefined, project: () => Project, env: NodeJS.ProcessEnv): Profile {
  const profile = findProfile(name ?? "default", project, env);
  if (name !== undefined && !profile) throw new Fault("usage", `There is no profile '${name}'.`);
  return profile ?? {};
}

/** Returns a profile. `project` is read for a name that the user's own config doesn't have. */
export function findProfile(name: string, project: () => Project, env: NodeJS.ProcessEnv): Profile | undefined {
  const own = readUserProfiles(env)[name];
  return own ?? (name === "default" ? undefined : listProfiles(project(), env)[name]);
}

/**
 * Returns the user's own profiles and those of runfleet.json. The latter say where a key is sent, and a folder may come from
 * anybody: so they replace none of the user's own, and hold only where they are named.
 */
export function listProfiles({ profiles = {} }: Project, env: NodeJS.ProcessEnv): Record<string, Profile> {
  const { default: _unnamed, ...named } = profiles;
  return { ...named, ...readUserProfiles(env) };
}

const userConfig = (env: NodeJS.ProcessEnv): string =>
  join(env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "runfleet", "config.json");

/** Returns the profiles of the user's own config, which may have keys. */
function readUserProfiles(env: NodeJS.ProcessEnv): Record<string, Profile> {
  return (readJson(userConfig(env))?.["profiles"] ?? {}) as Record<string, Profile>;
}

/** Keeps a profile in the user's own config, or forgets it (null). Returns what it was before. Only this user can read the file: it has keys. */
export function writeUserProfile(env: NodeJS.ProcessEnv, name: string, profile: Profile | null): Profile | undefined {
  const path = userConfig(env);
  const { [name]: before, ...others } = readUserProfiles(env);
  if (!before && !profile) return undefined;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  const profiles = { ...others, ...(profile && { [name]: profile }) };
  writeFileSync(draft, `${JSON.stringify({ ...readJson(path), profiles }, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return before;
}

/** Returns the folder's runfleet.json; empty without one. */
export function readProject(folder: string): Project {
  const project = readJson(join(folder, "runfleet.json")) ?? {};
  const known = new Set(["$schema", "agent", "name", "entrypoint", "config", "ignore", "profiles"]);
  const odd = Object.keys(project).find((key) => !known.has(key));
  if (odd !== undefined)
    throw new Fault(
      "usage",
      `runfleet.json has a key '${odd}', which isn't known. Keys of the agent belong below 'config'.`,
    );
  return project;
}

function readJson(path: string): Record<string, unknown> | null {
  if (!existsSync(path)) return null;
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new Fault("usage", `${path} is no JSON: ${String(error)}`);
  }
  throw new Fault("usage", `${path} must be an object.`);
}
