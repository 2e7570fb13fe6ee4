/** What a user may have so many of. The keys are those of the config's `perUser`. */
const kinds = {
  keys: ["valid keys", "Revoke one first."],
  agents: ["agents", "Delete one first."],
  daemons: ["started daemons", "Stop one first."],
  jobs: ["active jobs", "Delete or cancel one first."],
  threads: ["threads", "Delete one first."],
  webhooks: ["webhooks", "Delete one first."],
  hooks: ["hooks", "Delete one first."],
  connections: ["connections", "Delete one first."],
  secrets: ["secrets", "Delete one first."],
  storeItems: ["items in the store", "Delete one first."],
} as const;
type Kind = keyof typeof kinds;

/** Returns what an error says for one thing more than a user may have. `perUser`: how many, as the deployment's settings say. `user_id`: null where it isn't known. */
export function userHasMost(kind: Kind, perUser: Readonly<Record<Kind, number>>, user_id: string | null): string {
  const [name, cure] = kinds[kind];
  const setting = `${kind.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_PER_USER`;
  const user = user_id === null ? "The user" : `The user '${user_id}'`;
  return `${user} has ${perUser[kind]} ${name}, the most that ${setting} allows. ${cure}`;
}
