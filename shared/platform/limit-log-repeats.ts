import type { LogFn } from "pino";

/** So many lines that say the same are written within a window. */
const most = 10;
const windowMs = 60_000;
/** The lines of a window that are told from each other. Beyond them each is written. */
const mostKinds = 1_000;

type Kind = { count: number; heldBack: number; tell: (heldBack: number) => void };

/** What comes with a line: its fields and its message, or the message alone. */
type Line = Parameters<LogFn>;

/**
 * Returns a hook for pino. Of warnings and errors that say the same but for their numbers, 10 a minute are written; the next
 * minute begins with one line that says how many more there were (`repeats`). A fault that a loop meets five times a second
 * hides nothing else then, and fills no disk. Lines that name different runs are different ones.
 */
export function limitRepeats(now: () => number = () => performance.now()) {
  const kinds = new Map<string, Kind>();
  let windowEnd = -Infinity;
  let timer: NodeJS.Timeout | null = null;

  function endWindow(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    const ended = [...kinds.values()];
    kinds.clear();
    for (const { heldBack, tell } of ended) if (heldBack > 0) tell(heldBack);
  }

  function mayWrite(kind: string, tell: Kind["tell"]): boolean {
    if (now() >= windowEnd) {
      endWindow();
      windowEnd = now() + windowMs;
    }
    const known = kinds.get(kind);
    if (!known) {
      if (kinds.size < mostKinds) kinds.set(kind, { count: 1, heldBack: 0, tell });
      return true;
    }
    known.count += 1;
    if (known.count <= most) return true;
    known.heldBack += 1;
    timer ??= setTimeout(endWindow, Math.max(0, windowEnd - now())).unref();
    return false;
  }

  return function logMethod(this: unknown, line: Line, write: LogFn, level: number): void {
    const tell = (repeats: number): void => write.apply(this as never, withRepeats(line, repeats));
    if (level < warnLevel || mayWrite(kindOf(line, level), tell)) write.apply(this as never, line);
  };
}

/** As pino has it. */
const warnLevel = 40;

const kindOf = (line: Line, level: number): string =>
  `${level} ${JSON.stringify(line.map((part: unknown) => (part instanceof Error ? part.message : part)))}`.replaceAll(
    /\b\d+(?:\.\d+)?\b/g,
    "0",
  );

const withRepeats = ([first, ...rest]: Line, repeats: number): Line =>
  (typeof first === "object" && first !== null ? [{ ...first, repeats }, ...rest] : [{ repeats }, first]) as Line;
