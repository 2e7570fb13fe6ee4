import type { RunEvent } from "./generated/types.ts";
import { spokenText, voidedBy } from "./transcript.ts";

type Said = { attempt: number; seq: number; type: "output.delta"; text: string };

/**
 * Turns a run's events into its text, each thing once. What a run that starts again repeats is left out. At the first
 * difference the text begins anew.
 */
export class RunText {
  /** What stands, and has been given or is repeated. */
  #said: Said[] = [];
  /** While the run repeats: what the reader has. */
  #shown: string | null = null;
  /** How much of `#shown` was repeated so far. */
  #repeated = 0;

  /** Returns the next text. `isAnew`: what was given before is void, and the text begins anew. */
  push(event: RunEvent): { text: string; isAnew: boolean } {
    const isVoid = voidedBy(event);
    if (isVoid) return this.#withdraw(isVoid);
    const text = event.type === "output.delta" ? spokenText(event.content) : null;
    if (text === null || text === "") return { text: "", isAnew: false };
    const { attempt, seq } = event;
    this.#said.push({ attempt, seq, type: "output.delta", text });
    if (this.#shown === null) return { text, isAnew: false };
    return this.#compare(this.#shown, text);
  }

  /** The run has ended. What it didn't repeat is void. */
  end(): { text: string; isAnew: boolean } {
    return this.#shown === null ? { text: "", isAnew: false } : this.#beginAnew();
  }

  #withdraw(isVoid: (said: Said) => boolean): { text: string; isAnew: boolean } {
    const shown = this.#shown ?? textOf(this.#said);
    this.#said = this.#said.filter((one) => !isVoid(one));
    const standing = textOf(this.#said);
    if (standing === shown) this.#shown = null;
    else if (shown.startsWith(standing)) [this.#shown, this.#repeated] = [shown, standing.length];
    else return this.#beginAnew();
    return { text: "", isAnew: false };
  }

  #compare(shown: string, text: string): { text: string; isAnew: boolean } {
    const expected = shown.slice(this.#repeated, this.#repeated + text.length);
    if (!text.startsWith(expected)) return this.#beginAnew();
    this.#repeated += expected.length;
    if (this.#repeated === shown.length) this.#shown = null;
    return { text: text.slice(expected.length), isAnew: false };
  }

  #beginAnew(): { text: string; isAnew: boolean } {
    this.#shown = null;
    return { text: textOf(this.#said), isAnew: true };
  }
}

const textOf = (said: Said[]): string => said.map(({ text }) => text).join("");
