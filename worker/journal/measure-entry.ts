import type { EntryContent } from "../../shared/services/journal/entry.ts";

/** Returns how many bytes an entry has when it is open, but for its frame. Sealed it may have a thousandth of that. */
export const bytesOf = ({
  result,
  files,
  state,
  error,
  after = [],
}: Pick<EntryContent, "result" | "files" | "state" | "error" | "after">): number =>
  [result, files, state, error?.message, ...after].reduce<number>(
    (sum, text) => sum + (text == null ? 0 : Buffer.byteLength(text)),
    0,
  );
