import type { SecretRecord } from "../../schemas/agent.ts";

type SecretRow = { name: string; tag: string | null; created_at: Date; updated_at: Date };

/** A secret's row as it is shown: never its value. */
export const toSecretRecord = ({ name, tag, created_at, updated_at }: SecretRow): SecretRecord => ({
  name,
  tag,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

export const shownColumns = { name: true, tag: true, created_at: true, updated_at: true } as const;
