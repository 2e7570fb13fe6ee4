import type { EntryContent } from "../../shared/services/journal/entry.ts";

/** Returns how long an entry is when it is open, but for its frame. Sealed it may be a thousandth of that. */
export const lengthOf = ({
  result,
  files,
  state,
  error,
}: Pick<EntryContent, "result" | "files" | "state" | "error">): number =>
  (result?.length ?? 0) + (files?.length ?? 0) + (state?.length ?? 0) + (error?.message.length ?? 0);
