import { newCredential } from "../../shared/platform/secrets/credential.ts";
import type { TestStack } from "./test-stack.ts";

/** Makes a user's API key in the database itself, which takes no key. Returns the key. */
export async function makeKey(
  { sql }: Pick<TestStack, "sql">,
  user_id: string,
  scopes: readonly string[] = ["*"],
): Promise<string> {
  const { id, text, secret_hash } = newCredential("key");
  await sql.query("INSERT INTO users (id) VALUES ($1) ON CONFLICT DO NOTHING", [user_id]);
  const values = [id, user_id, secret_hash, scopes];
  await sql.query("INSERT INTO api_keys (id, user_id, secret_hash, scopes) VALUES ($1, $2, $3, $4)", values);
  return text;
}
