import { closeSync, openSync, readSync } from "node:fs";

/** Small kernel files that are read again and again: each is opened once. */
export type StatusFiles = {
  /** Returns the file's number, or that of the line `<key> <number>`; null where the kernel has no such number. */
  number(path: string, key: string | null): number | null;
  close(): void;
};

const longest = 4_096;

export function openStatusFiles(): StatusFiles {
  const open = new Map<string, number>();
  const bytes = Buffer.alloc(longest);
  return {
    number(path, key) {
      try {
        const fd = open.get(path) ?? openSync(path, "r");
        open.set(path, fd);
        const text = bytes.toString("latin1", 0, readSync(fd, bytes, 0, longest, 0));
        return key === null ? Number(text) : findLine(text, key);
      } catch {
        return null;
      }
    },
    close() {
      for (const fd of open.values()) closeSync(fd);
      open.clear();
    },
  };
}

function findLine(text: string, key: string): number | null {
  const digits = text
    .split("\n")
    .find((line) => line.startsWith(`${key} `))
    ?.split(" ")[1];
  return digits === undefined ? null : Number(digits);
}
