/** Acts when a signal is aborted, at once where it is already: a client may have gone while its run was accepted. */
export function onceAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
}
