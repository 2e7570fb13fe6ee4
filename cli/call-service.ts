import type { Client, Json } from "./client.ts";

export type Answer = { status: number; body: Json };

/** Performs an operation by its path. `body`: an object, or a folder that tar and gzip have packed. */
export async function callService(
  client: Client,
  method: string,
  path: string,
  body?: Json | Uint8Array,
): Promise<Answer> {
  const response = await client.request(method, path, { body });
  const text = await response.text();
  return { status: response.status, body: text ? (JSON.parse(text) as Json) : {} };
}
