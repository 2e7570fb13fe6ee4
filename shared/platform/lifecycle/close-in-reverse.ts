export type Close = () => Promise<void> | void;

/** Closes what was opened, last first; one that fails doesn't keep the others open. */
export async function closeInReverse(opened: Close[]): Promise<void> {
  for (const close of opened.toReversed()) {
    try {
      await close();
    } catch {
      // It was being closed; there is nobody left to tell.
    }
  }
}
