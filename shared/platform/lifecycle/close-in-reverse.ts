export type Close = () => Promise<void> | void;

/** Returns a function that notes a part among what was opened, and returns the part. */
export const noteIn =
  (opened: Close[]) =>
  <T extends { close: Close }>(part: T): T => {
    opened.push(() => part.close());
    return part;
  };

/**
 * Closes what was opened, last first, and empties the list. A `close` that fails does not stop the others. A second call closes nothing:
 * a descriptor that is closed twice may be another part's by then.
 */
export async function closeInReverse(opened: Close[]): Promise<void> {
  for (const close of opened.splice(0).toReversed()) {
    try {
      await close();
    } catch {
      // The process ends anyway, and its log may be closed already.
    }
  }
}
