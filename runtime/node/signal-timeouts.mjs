// Signals that abort by themselves. Node keeps no process for AbortSignal.timeout: a wait that has one does.

/** Those of AbortSignal.timeout, and those that AbortSignal.any has made of one. @type {WeakSet<AbortSignal>} */
const timed = new WeakSet();

/** Follows which signals abort by themselves. */
export function followSignals() {
  const plain = /** @type {any} */ (AbortSignal);
  const { timeout, any } = plain;
  /** @param {string} name @param {(this: unknown, given: any) => AbortSignal} value */
  const replace = (name, value) =>
    Object.defineProperty(plain, name, { value, writable: true, configurable: true, enumerable: true });
  replace("timeout", function (ms) {
    const signal = timeout.call(this, ms);
    timed.add(signal);
    return signal;
  });
  replace("any", function (given) {
    const signals = [...given];
    const signal = any.call(this, signals);
    if (signals.some((one) => timed.has(one))) timed.add(signal);
    return signal;
  });
}

/** As long as a timer of Node's may be. */
const longestMs = 2 ** 31 - 1;

/** Keeps the process while a wait is open that a signal gives up by itself. Returns what ends that. @param {AbortSignal | undefined} signal */
export function keepForTimeout(signal) {
  if (!signal || !timed.has(signal)) return () => {};
  const timer = setInterval(() => {}, longestMs);
  return () => clearInterval(timer);
}
