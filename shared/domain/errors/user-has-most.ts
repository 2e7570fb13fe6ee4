import { type AppError, conflict } from "./app-error.ts";

/** What a user may have so many of. The keys are those of the config's `perUser`. */
const kinds = {
  keys: { code: "too_many_keys", name: "valid keys", cure: "Revoke one first." },
  agents: { code: "too_many_agents", name: "agents", cure: "Delete one first." },
  daemons: { code: "too_many_daemons", name: "started daemons", cure: "Stop one first." },
  jobs: { code: "too_many_jobs", name: "active jobs", cure: "Delete or cancel one first." },
  threads: { code: "too_many_threads", name: "threads", cure: "Delete one first." },
  webhooks: { code: "too_many_webhooks", name: "webhooks", cure: "Delete one first." },
  hooks: { code: "too_many_hooks", name: "hooks", cure: "Delete one first." },
  connections: { code: "too_many_connections", name: "connections", cure: "Delete one first." },
  secrets: { code: "too_many_secrets", name: "secrets", cure: "Delete one first." },
  storeItems: { code: "too_many_store_items", name: "items in the store", cure: "Delete one first." },
} as const;
type Kind = keyof typeof kinds;

/** Returns the error for one thing more than a user may have. `perUser`: how many, as the deployment's settings say. `user_id`: null where it isn't known. */
export function userHasMost(kind: Kind, perUser: Readonly<Record<Kind, number>>, user_id: string | null): AppError {
  const { code, name, cure } = kinds[kind];
  const setting = `${kind.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_PER_USER`;
  const user = user_id === null ? "The user" : `The user '${user_id}'`;
  return conflict(code, `${user} has ${perUser[kind]} ${name}, the most that ${setting} allows. ${cure}`);
}
