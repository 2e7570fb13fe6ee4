import type { IncomingMessage } from "node:http";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import {
  archiveLimits,
  type FolderArchive,
  FolderArchiveFault,
  readFolderArchive,
} from "../../shared/platform/archive/read-folder-archive.ts";
import { openJson } from "./parse-json.ts";
import { readRawBody } from "./raw-body.ts";

/** The content types of a tar archive that gzip has compressed. */
export const folderTypes = ["application/gzip", "application/x-gzip", "application/x-gtar", "application/x-tar+gzip"];

export function isFolder(req: IncomingMessage): boolean {
  const [type = ""] = (req.headers["content-type"] ?? "").split(";", 1);
  return folderTypes.includes(type.trim().toLowerCase());
}

/** How long a folder may take to be received. */
const mostMs = 120_000;

export const readFolderBytes = (req: IncomingMessage, count: (bytes: number) => void): Promise<Buffer> =>
  readRawBody(req, { most_bytes: archiveLimits.packed_bytes, most_ms: mostMs, count });

type Body = { config: Record<string, unknown> };

/**
 * Returns a packed folder as the body of a request, with the other fields of the body, which are JSON in the query or in the
 * archive. `count` is told their size before they are parsed. Throws ValidationFault, payload_too_large, and what `count` throws.
 */
export async function openFolder(bytes: Buffer, fields: unknown, count: CountSize): Promise<Body> {
  const asked = fields === undefined ? null : readFields(fields);
  const { files, fields: packed } = await readArchive(bytes);
  const { config, ...others } = asked ?? (packed ? await readPacked(packed, count) : {});
  const known = isObject(config) ? config : {};
  return { ...others, config: { ...known, files } };
}

async function readArchive(bytes: Buffer): Promise<FolderArchive> {
  try {
    return await readFolderArchive(bytes);
  } catch (error) {
    if (!(error instanceof FolderArchiveFault)) throw error;
    if (error.isLarge)
      throw new AppError("payload_too_large", "payload_too_large", `The body is too large: ${error.message}.`);
    throw fault(["body"], error.message);
  }
}

type CountSize = (size: { bytes: number; values: number }) => Promise<void>;

async function readPacked(text: Buffer, count: CountSize): Promise<Record<string, unknown>> {
  const json = openJson(text, "application/json");
  await count({ bytes: text.length, values: json.values });
  const parsed = json.parse();
  if (!isObject(parsed)) throw fault(["body", "RUNFLEET.fields"], "must be a JSON object");
  return parsed;
}

function readFields(text: unknown): Record<string, unknown> {
  try {
    const parsed: unknown = typeof text === "string" ? JSON.parse(text) : null;
    if (isObject(parsed)) return parsed;
  } catch {
    // What is no JSON is no object.
  }
  throw fault(["query", "fields"], "must be a JSON object");
}

/** A body of JSON has all fields itself. */
export function refuseFields({ fields }: Record<string, unknown>): void {
  if (fields !== undefined)
    throw fault(["query", "fields"], "is for a packed folder only: put the fields into the body");
}

const fault = (loc: string[], message: string): ValidationFault =>
  new ValidationFault([{ type: "value_error", loc, msg: `Value error, ${message}` }]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
