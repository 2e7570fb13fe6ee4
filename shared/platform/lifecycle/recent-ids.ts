/** Remembers ids for at least `ms` and at most twice as long. */
export function rememberIds(ms: number): { add(id: string): void; has(id: string): boolean } {
  let [current, before] = [new Set<string>(), new Set<string>()];
  let since = performance.now();

  function forget(): void {
    const now = performance.now();
    if (now - since < ms) return;
    before = now - since < 2 * ms ? current : new Set();
    current = new Set();
    since = now;
  }

  return {
    add(id) {
      forget();
      current.add(id);
    },
    has(id) {
      forget();
      return current.has(id) || before.has(id);
    },
  };
}
