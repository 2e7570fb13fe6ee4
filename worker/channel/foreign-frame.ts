import { z } from "zod";
import { agentErrorCodes, type AgentFrame, agentFrame, processFrame } from "./frame-schema.ts";
import type { StepFrame } from "./step-frame.ts";

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asText = (value: unknown): unknown => (isObject(value) ? JSON.stringify(value) : value);

/** What people write who haven't read the schema, and what they mean, by type. */
const meant: Readonly<Record<string, (frame: Fields) => Fields>> = {
  result: ({ content, result, ...rest }) => ({ result_content: content ?? result, ...rest }),
  error: readError,
  // A space before its JSON tells a saved value from a saved text.
  state: ({ state, ...rest }) =>
    state === undefined
      ? rest
      : { state_snapshot: typeof state === "string" ? state : ` ${JSON.stringify(state)}`, ...rest },
  artifact: ({ text, ...rest }) =>
    typeof text === "string" ? { content: Buffer.from(text).toString("base64"), ...rest } : rest,
  interrupt: ({ message, ...rest }) => ({ ...rest, ...(message !== undefined && { message: asText(message) }) }),
};

/** `code` is one of the service's; any other is the author's, and names the kind of error. */
function readError({ error, code, ...rest }: Fields): Fields {
  const told = isObject(error) ? error : { message: error };
  const own = typeof code === "string" && codes.has(code) ? { code } : {};
  const kind = told["type"] ?? told["code"] ?? (typeof code === "string" ? code : undefined);
  return {
    ...own,
    ...(told["message"] === undefined ? {} : { message: asText(told["message"]) }),
    ...(typeof kind === "string" && { error_type: kind }),
    ...rest,
  };
}

const codes = new Set<string>(agentErrorCodes);

function readMeant(value: unknown): unknown {
  if (!isObject(value) || typeof value["type"] !== "string") return value;
  return Object.hasOwn(meant, value["type"]) ? meant[value["type"]]?.(value) : value;
}

/** A frame that its author wrote by hand: other names of some fields are read, too. */
export const foreignFrame: z.ZodType<AgentFrame> = z.preprocess(readMeant, agentFrame);

/** A frame of a process, which may be of a step. */
export const foreignProcessFrame: z.ZodType<AgentFrame | StepFrame> = z.preprocess(readMeant, processFrame);
