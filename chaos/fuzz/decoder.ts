import type { Random } from "../random.ts";

/** Something of ours that reads what strangers wrote. */
export type Decoder = {
  name: string;
  /** What it is made to read, and what odd inputs are made of. */
  samples: readonly [Buffer, ...Buffer[]];
  /** How many of the inputs it gets, beside the others. */
  weight: number;
  /** How many are read at once; 1 where it isn't said. */
  atOnce?: number;
  /** Reads one input. Throws, now or later, only for a fault of ours: that an input is odd is an answer. */
  read(input: Buffer, random: Random): Promise<void> | void;
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
