import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import { dispatch, type EventOf } from "./projection.ts";

/** What an output says as text: a scalar as it is, LangChain's content blocks joined. Null: it is data, not text. */
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

/** The same for a result: what is no object was put into an object's only field, `output`. */
export function spokenResult(result: unknown): string | null {
  if (typeof result !== "object" || result === null) return null;
  const [[name, value] = [], ...more] = Object.entries(result);
  return name === "output" && more.length === 0 ? spokenText(value) : null;
}

/** A line that isn't the agent's. */
export const note = (text: string): string => `\n[${text}]\n`;

/**
 * A run as one text, event by event, for formats that have nothing else and can't take back what they said: what is void,
 * missing or asked is noted. What isn't text is JSON; the result is said only where nothing else was.
 */
export function startSpeech(): (event: RunEvent) => string {
  let said = false;
  const say = (text: string): string => {
    said = true;
    return text;
  };
  const handlers = {
    "run.started": ({ attempt, discards }: EventOf<"run.started">) => {
      const isVoid = said && discards;
      said = false;
      return isVoid ? note(`attempt ${attempt}: what stands above is void (${discards.reason})`) : "";
    },
    "output.delta": ({ content }: EventOf<"output.delta">) => say(spokenText(content) ?? JSON.stringify(content)),
    "run.interrupted": ({ interrupts }: EventOf<"run.interrupted">) =>
      interrupts.map(({ message, reason }) => note(message ?? reason)).join(""),
    "run.success": ({ result_content: result }: EventOf<"run.success">) =>
      said || result === null ? "" : (spokenResult(result) ?? JSON.stringify(result)),
    gap: () => note("a part is not kept any more"),
  };
  return (event) => dispatch(handlers, event, () => "");
}
