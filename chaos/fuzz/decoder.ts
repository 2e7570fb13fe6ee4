import type { Random } from "../random.ts";

/** A reader of foreign bytes. */
export type Decoder = {
  name: string;
  /** Valid inputs, which odd inputs are made from. */
  samples: readonly [Buffer, ...Buffer[]];
  /** The decoder's share of all inputs, relative to the other decoders. */
  weight: number;
  /** How many inputs are read at once; 1 by default. */
  atOnce?: number;
  /** Reads one input. Throws, now or later, only for a fault of Runfleet's: refusing an odd input is no fault. */
  read(input: Buffer, random: Random): Promise<void> | void;
  /** Returns the resident memory of a process that reads the inputs beside this one, in bytes. */
  memoryBeside?(): number;
  /** Throws when the inputs have left something behind. */
  close?(): Promise<void> | void;
};

export const samplesOf = (first: string, ...others: string[]): [Buffer, ...Buffer[]] => [
  Buffer.from(first, "latin1"),
  ...others.map((text) => Buffer.from(text, "latin1")),
];

/** Throws when something that must hold doesn't. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`broken: ${what}`);
}

/** Returns the value of a JSON text, and any other text as it is. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
