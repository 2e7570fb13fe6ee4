/** A page that nobody sees closes its stream after a while, and goes on when it is seen again. */
const hiddenMs = 10_000;

/** Calls `start` while the page is seen, and `stop` when it no longer is. Returns what ends it. */
export function whileSeen(start: () => void, stop: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const noteSeen = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(stop, hiddenMs);
    else start();
  };
  document.addEventListener("visibilitychange", noteSeen);
  if (!document.hidden) start();
  return () => {
    document.removeEventListener("visibilitychange", noteSeen);
    clearTimeout(timer);
    stop();
  };
}
