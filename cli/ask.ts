import { once } from "node:events";
import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { Fault } from "./exit-codes.ts";

/** Asks the person at the terminal. Where nobody sits there, the answer is empty. Throws Fault when the question is left. */
export async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) return "";
  return (await askLine(question)) ?? leave();
}

/** Asks for a line. Returns null when the input ends, or is left by Ctrl-C. */
export async function askLine(question: string): Promise<string | null> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return (await readLine(lines, question))?.trim() ?? null;
}

/**
 * Reads a secret: at a prompt that doesn't show it, or all of stdin. Never from argv, which other users see. Throws Fault when
 * the prompt is left.
 */
export async function askSecret(question: string, signal?: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, "");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  // From here on the terminal shows nothing that is typed.
  process.stderr.write(question);
  try {
    return (await readLine(lines, "", signal)) ?? leave();
  } finally {
    process.stderr.write("\n");
  }
}

/** Reads a line and closes. Returns null when the input ends, or is left by Ctrl-C. */
async function readLine(lines: Interface, question: string, signal?: AbortSignal): Promise<string | null> {
  // By the version of Node, a question whose input ends is rejected or stays open.
  const closed = once(lines, "close").then(() => null);
  const answered = lines.question(question, { signal }).catch(() => {
    signal?.throwIfAborted();
    return null;
  });
  try {
    return await Promise.race([answered, closed]);
  } finally {
    lines.close();
  }
}

function leave(): never {
  throw new Fault("detached", "Nothing was done.");
}
