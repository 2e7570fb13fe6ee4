/** How many bytes may be held: of one sandbox, of all, and what one sandbox has in any case. */
export type BufferLimits = { ofOne: number; inAll: number; always: number };

/** Bytes that one sandbox holds. */
export type BufferLimit = {
  /** Returns false, and takes nothing, where there is no room. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
};

/** Returns a function that opens one sandbox's room. No sandbox takes all of it from the others. */
export function createBufferLimits({ ofOne, inAll, always }: BufferLimits): () => BufferLimit {
  let all = 0;
  return () => {
    let own = 0;
    return {
      take(bytes) {
        const fits = own + bytes <= always || (own + bytes <= ofOne && all + bytes <= inAll);
        if (!fits) return false;
        own += bytes;
        all += bytes;
        return true;
      },
      giveBack(bytes) {
        own -= bytes;
        all -= bytes;
      },
    };
  };
}
