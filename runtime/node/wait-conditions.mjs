// Which waits the code takes together: a run that is suspended is woken once its code can go on.

// oxlint-disable-next-line typescript/unbound-method -- called with Promise; code's own is followed.
const { all: takeAll } = Promise;

/**
 * A promise of what waits end as. `keys`: of the waits. `looks`: how often its end was asked for.
 * @template T
 * @extends {Promise<T>}
 */
export class WaitPromise extends Promise {
  /** @type {string[]} */
  keys = [];
  looks = 0;

  /** @override */
  static get [Symbol.species]() {
    return Promise;
  }

  /** @override @param {((value: T) => any) | null} [onEnd] @param {((error: any) => any) | null} [onFailure] @returns {Promise<any>} */
  // oxlint-disable-next-line unicorn/no-thenable -- a promise is one.
  then(onEnd, onFailure) {
    this.looks += 1;
    return super.then(onEnd, onFailure);
  }
}

/**
 * Returns a promise of what `read` makes of the end of waits.
 * @param {string[]} keys
 * @param {PromiseLike<any>} end
 * @param {(value: any) => unknown} read
 */
export function promiseWaits(keys, end, read) {
  const result = new WaitPromise(
    (resolve, reject) => void end.then((value) => resolve(read(value))).then(null, reject),
  );
  result.keys = keys;
  return result;
}

/** @typedef {{ keys: string[], most_open: number, or_failed: boolean }} Condition */

/**
 * What is taken together, the newest last. `condition`: when the code goes on of which so many are open; null: it can't be said.
 * @type {Set<{ promises: WaitPromise<any>[], condition: (open: WaitPromise<any>[]) => Omit<Condition, "keys"> | null }>}
 */
const taken = new Set();

/** @param {unknown[]} given @param {boolean} or_failed Whether the code goes on when one has failed. */
function noteAll(given, or_failed) {
  const promises = given.filter((one) => one instanceof WaitPromise);
  if (promises.length > 0) taken.add({ promises, condition: () => ({ most_open: 0, or_failed }) });
}

/** Waits for all, whatever they end as. @param {WaitPromise<any>[]} promises @returns {Promise<any[]>} */
export function waitAll(promises) {
  noteAll(promises, false);
  return takeAll.call(Promise, promises);
}

/**
 * Waits until `count` have ended well. The others are given up.
 * @param {number} count
 * @param {WaitPromise<any>[]} promises
 * @param {(key: string) => void} giveUp
 */
export function waitFirst(count, promises, giveUp) {
  /** @type {unknown[]} */
  const ended = [];
  let failed = 0;
  const spare = promises.length - count;
  const result = new WaitPromise((/** @type {(value: unknown[]) => void} */ resolve, reject) => {
    const isOver = () => ended.length === count || failed > spare;
    const end = (/** @type {() => void} */ settle) => {
      if (!isOver()) return;
      settle();
      for (const { keys } of promises) for (const key of keys) giveUp(key);
    };
    for (const one of promises)
      one.then(
        (value) => {
          if (isOver()) return;
          ended.push(value);
          end(() => resolve(ended));
        },
        (error) => {
          if (isOver()) return;
          failed += 1;
          end(() => reject(error));
        },
      );
  });
  result.keys = promises.flatMap(({ keys }) => keys);
  taken.add({
    promises,
    condition: (open) => {
      const isPlain = open.every(({ keys, looks }) => keys.length === 1 && looks === 1);
      return isPlain ? { most_open: open.length - count + ended.length, or_failed: failed === spare } : null;
    },
  });
  return result;
}

/**
 * Follows which waits code gives to Promise's own functions that take all of them. `onJoin` is called with how many promises
 * code is about to wait for. @param {(width: number) => void} onJoin
 */
export function followPromises(onJoin) {
  for (const [name, or_failed] of /** @type {const} */ ([
    ["all", true],
    ["allSettled", false],
    ["any", null],
    ["race", null],
  ])) {
    const plain = /** @type {(given: any) => Promise<any>} */ (Promise[name]);
    /** @this {unknown} @param {any} given */
    const value = function (given) {
      if (this === Promise) onJoin(Array.isArray(given) ? given.length : 1);
      if (this === Promise && or_failed !== null && Array.isArray(given)) noteAll(given, or_failed);
      return plain.call(/** @type {any} */ (this), given);
    };
    Object.defineProperty(Promise, name, { value, writable: true, configurable: true });
  }
}

/**
 * Returns which waits wake the run together. One that anything else looks at wakes it alone.
 * @param {(key: string) => boolean} isOpen
 */
export function conditionsOf(isOpen) {
  /** @type {Set<string>} */
  const used = new Set();
  /** @type {Condition[]} */
  const found = [];
  // What was taken later may hold what was taken before.
  for (const one of [...taken].toReversed()) {
    const open = one.promises.filter(({ keys }) => keys.some(isOpen));
    if (open.length === 0) taken.delete(one);
    const condition = open.length > 0 ? one.condition(open) : null;
    const alone = open.filter(({ looks }) => looks === 1).flatMap(({ keys }) => keys);
    const keys = alone.filter((key) => isOpen(key) && !used.has(key));
    if (!condition || keys.length < 2) continue;
    for (const key of keys) used.add(key);
    found.push({ keys, ...condition });
  }
  return found.slice(0, mostConditions);
}

const mostConditions = 1_000;
