import type { Client, Json } from "./client.ts";
import { Fault } from "./exit-codes.ts";

export type Answer = { status: number; body: Json };

/**
 * Performs an operation by its path. `body`: an object, or a folder that tar and gzip have packed. Throws a Fault for a path
 * that leads to another operation, and when the answer is cut or isn't JSON: what was asked for may have been done.
 */
export async function callService(
  client: Client,
  method: string,
  path: string,
  body?: Json | Uint8Array,
): Promise<Answer> {
  checkPath(method, path);
  return readAnswer(await client.request(method, path, { body }), method, path);
}

/** Throws a Fault for a path that leads to another operation: of `/v1/agents/a/secrets/..` a URL makes `/v1/agents/a/`. */
export function checkPath(method: string, path: string): void {
  if (/\/(\.|%2e){1,2}([/?#]|$)/i.test(path))
    throw new Fault("usage", `${method} ${path} was not sent: '.' and '..' are no names.`);
}

/** Reads the answer to an operation. Throws as `callService` does. */
export async function readAnswer(response: Response, method: string, path: string): Promise<Answer> {
  const { status } = response;
  const text = await response.text().catch(() => {
    throw cutFault(method, path);
  });
  try {
    return { status, body: text ? (JSON.parse(text) as Json) : {} };
  } catch {
    throw new Fault(
      "unreachable",
      `${method} ${path} was answered with ${status}, but not with JSON: ${text.slice(0, 100)}. Is this address Runfleet's API?`,
    );
  }
}

export const cutFault = (method: string, path: string): Fault =>
  new Fault(
    "unreachable",
    `The connection was cut while the answer to ${method} ${path} came. Look whether it was done before you ask again.`,
  );
