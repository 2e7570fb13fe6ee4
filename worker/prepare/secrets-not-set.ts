/** Returns what is wrong with an agent whose config declares secrets that aren't set, and what to do. */
export function secretsNotSet(agentId: string, names: string[]): string {
  const [first = ""] = names;
  const cure = `Set it with PUT /v1/agents/${agentId}/secrets/${first} or PUT /v1/secrets/${first}, or send it in env_vars.`;
  return `The agent's config declares secrets that aren't set: ${names.join(", ")}. ${cure}`;
}
