import { isatty } from "node:tty";
import { fit } from "./text-width.ts";

/** Where a command writes: data to stdout, talk to stderr. */
export type Terminal = {
  json: boolean;
  /** Where a line ends; null where nobody looks. */
  width: number | null;
  /** True where somebody sees lines that change. */
  isLive: boolean;
  /** True where a person can be asked: what is said is seen, and what is typed is read. */
  canAsk: boolean;
  /** Text of an agent, as it comes. */
  write(text: string): void;
  /** A line of data. */
  data(line: string): void;
  /** With --json, a value as one line. */
  value(value: unknown): void;
  /** A line for the person at the terminal. */
  say(line: string): void;
  /** What goes on now, as the last line: the next one replaces it, and all other text takes it away. Only where `isLive`. */
  status(line: string | null): void;
};

const eraseLine = "\r\u001B[2K";

/** `quiet`: talk is left out. */
export function openTerminal({ json, quiet }: { json: boolean; quiet: boolean }): Terminal {
  const { stdout, stderr } = process;
  const isLive = stderr.isTTY && !quiet && !json;
  let shown: string | null = null;
  const erase = (): void => {
    if (shown !== null) stderr.write(eraseLine);
    shown = null;
  };
  const print = (stream: NodeJS.WriteStream, text: string): void => {
    erase();
    stream.write(text);
  };
  return {
    json,
    width: stdout.isTTY ? stdout.columns : null,
    isLive,
    // Not by process.stdin, which would make a pipe non-blocking: then its end can't be waited for (`-f -`).
    canAsk: isLive && isatty(0),
    write: (text) => print(stdout, text),
    data: (line) => print(stdout, `${line}\n`),
    value: (value) => print(stdout, `${JSON.stringify(value)}\n`),
    say: (line) => void (quiet || print(stderr, `${line}\n`)),
    status(line) {
      // A line that is longer than the terminal could not be erased.
      const text = line === null ? null : fit(line.replaceAll(/\s+/g, " "), (stderr.columns || 80) - 1);
      if (!isLive || text === shown) return;
      erase();
      if (text !== null) stderr.write(text);
      shown = text;
    },
  };
}
