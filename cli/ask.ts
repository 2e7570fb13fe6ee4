import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** Asks the person at the terminal. Where nobody sits there, the answer is empty. */
export async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) return "";
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** Asks for a line. Returns null when the input ends, or is left by Ctrl-C. */
export async function askLine(question: string): Promise<string | null> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // By the version of Node, a question whose input ends is rejected or stays open.
  const closed = once(lines, "close").then(() => null);
  const answered = lines.question(question).then(
    (line) => line.trim(),
    () => null,
  );
  try {
    return await Promise.race([answered, closed]);
  } finally {
    lines.close();
  }
}

/** Reads a secret: at a prompt that doesn't show it, or all of stdin. Never from argv, which other users see. */
export async function askSecret(question: string, signal?: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, "");
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question("", { signal });
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
