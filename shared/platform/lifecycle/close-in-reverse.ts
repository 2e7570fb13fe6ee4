export type Close = () => Promise<void> | void;

/** Closes what was opened, last first. A `close` that fails does not stop the others. */
export async function closeInReverse(opened: Close[]): Promise<void> {
  for (const close of opened.toReversed()) {
    try {
      await close();
    } catch {
      // The process ends anyway, and its log may be closed already.
    }
  }
}
