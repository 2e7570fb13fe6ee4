import { z } from "zod";
import { parseJsonText } from "../../../shared/domain/json/parse-json-text.ts";
import type { RunRecord } from "../../../shared/schemas/run.ts";
import { rpcCodes, RpcError } from "../rpc-error.ts";
import { a2aCodes } from "./errors.ts";
import { type Part, partOf } from "./message.ts";

type Said = { messageId: string; parts: Part[] };

/** What a message brings for a run. */
export type Brought = { text: string | null; fields: Record<string, unknown>; files: Record<string, string> };

/** Takes a message apart: its text, the fields of its data parts, and its files. Throws RpcError for a part that can't be passed on. */
export function takeApart(parts: readonly Part[]): Brought {
  const fields: Record<string, unknown> = {};
  const files: Record<string, string> = {};
  for (const part of parts) {
    if ("data" in part) Object.assign(fields, isObject(part.data) ? part.data : { value: part.data });
    if ("raw" in part) {
      const name = part.filename ?? `file-${Object.keys(files).length + 1}`;
      files[name] = `data:${part.mediaType ?? "application/octet-stream"};base64,${part.raw}`;
    }
    if ("url" in part)
      throw new RpcError(
        a2aCodes.content_type_not_supported,
        "A file by URL is not fetched. Send the file's bytes in the part.",
        "CONTENT_TYPE_NOT_SUPPORTED",
      );
  }
  return { text: textOf(parts), fields, files };
}

/** In characters of JSON. A longer message is shown as the run's input. */
const maxShownLength = 16 * 1024;

/** Returns a run's metadata that shows the message as it came. Bytes of files are left out. */
export function metadataOf(said: Said): Record<string, unknown> {
  const shown = { ...said, parts: said.parts.filter((part) => !("raw" in part)) };
  return { a2a: JSON.stringify(shown).length > maxShownLength ? { messageId: said.messageId } : shown };
}

const shownPart = z.union([
  z.object({ text: z.string(), mediaType: z.string().optional() }),
  z.object({ data: z.unknown(), mediaType: z.string().optional() }),
]);
const shownMessage = z.object({ messageId: z.string(), parts: z.array(shownPart).min(1).optional() });

/** Returns the message that a run began with; of a run that no message began, its input. */
export function saidOf({ id, input_payload, metadata }: Pick<RunRecord, "id" | "input_payload" | "metadata">): Said {
  const shown = shownMessage.safeParse(metadata["a2a"]).data;
  const parts = shown?.parts as Part[] | undefined;
  return { messageId: shown?.messageId ?? `${id}-input`, parts: parts ?? [partOf(input_payload)] };
}

/**
 * Returns a message as an answer to an interrupt: the values to try, in this order. A text may stand for JSON, where the
 * interrupt's schema asks for something else than text.
 */
export function answersOf(parts: readonly Part[]): [first: unknown, ...others: unknown[]] {
  const data = parts.find((part) => "data" in part);
  if (data && "data" in data) return [data.data];
  const text = textOf(parts);
  if (text === null)
    throw new RpcError(rpcCodes.invalid_params, "The answer has neither a text nor a data part.", "INVALID_PARAMS");
  const json = parseJsonText(text);
  return json === undefined ? [text] : [text, json];
}

function textOf(parts: readonly Part[]): string | null {
  const texts = parts.flatMap((part) => ("text" in part ? [part.text] : []));
  return texts.length === 0 ? null : texts.join("\n");
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
