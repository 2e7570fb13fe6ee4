import { type Answer, callService } from "./call-service.ts";
import type { Client, Json } from "./client.ts";
import { writeArchive } from "./write-archive.ts";

/** The service takes bodies of JSON of 6 MiB at most. */
const mostJson = 5.5 * 1024 * 1024;

/** Posts a config: as JSON, or where its files are many, packed. An address has no room for a long config, and stands in logs. */
export async function sendConfig(
  client: Client,
  path: string,
  { config, ...fields }: Json & { config: Json },
): Promise<Answer> {
  const body = { ...fields, config };
  if (Buffer.byteLength(JSON.stringify(body)) <= mostJson) return callService(client, "POST", path, body);
  const { files, ...others } = config;
  const about = JSON.stringify({ ...fields, config: others });
  return callService(client, "POST", path, writeArchive(files as Record<string, string>, about));
}
