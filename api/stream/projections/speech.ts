import type { OpenInterrupt, RunEvent } from "../../../shared/schemas/run-event.ts";
import { dispatch, type EventOf } from "./projection.ts";

/** Returns the text of an output: a scalar as text, LangChain's content blocks joined. Null: the output is data, not text. */
export function spokenText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (typeof content === "number" || typeof content === "boolean") return String(content);
  if (!Array.isArray(content) || content.length === 0) return null;
  const texts = content.map((block: unknown) => textOfBlock(block));
  return texts.includes(null) ? null : texts.join("");
}

function textOfBlock(block: unknown): string | null {
  if (typeof block !== "object" || block === null || !("type" in block) || !("text" in block)) return null;
  return block.type === "text" && typeof block.text === "string" ? block.text : null;
}

/** Returns the text of a result. A result that was no object was wrapped into an object with the one field `output`. */
export function spokenResult(result: unknown): string | null {
  if (typeof result !== "object" || result === null) return null;
  const [[name, value] = [], ...more] = Object.entries(result);
  return name === "output" && more.length === 0 ? spokenText(value) : null;
}

/** Returns a line that the agent did not write, in brackets. */
export const note = (text: string): string => `\n[${text}]\n`;

const noteQuestion = ({ message, reason }: OpenInterrupt): string => note(message ?? reason);

/**
 * Translates a run to text, event by event, for formats that know text only and can't withdraw it. Notes mark void text, gaps
 * and questions. Data is written as JSON. The result is written only when there was no other output.
 */
export function startSpeech(ask = noteQuestion): (event: RunEvent) => string {
  let said = false;
  const say = (text: string): string => {
    said = true;
    return text;
  };
  const handlers = {
    "run.started": ({ attempt, discards }: EventOf<"run.started">) => {
      const isVoid = said && discards;
      said = false;
      return isVoid ? note(`attempt ${attempt}: the text above is void (${discards.reason})`) : "";
    },
    "output.delta": ({ content }: EventOf<"output.delta">) => say(spokenText(content) ?? JSON.stringify(content)),
    "run.interrupted": ({ interrupts }: EventOf<"run.interrupted">) =>
      interrupts.map((interrupt) => ask(interrupt)).join(""),
    "run.success": ({ result_content: result }: EventOf<"run.success">) =>
      said || result === null ? "" : (spokenResult(result) ?? JSON.stringify(result)),
    gap: () => note("a part of the output is no longer stored"),
  };
  return (event) => dispatch(handlers, event, () => "");
}
