import type { Frame } from "./agent-process.ts";

/** What comes from outside. `after_s`: of the run's own time; left out: at once. */
export type Script = {
  signals: { name: string; payload?: unknown; after_s?: number }[];
  messages: { payload: unknown; after_s?: number }[];
};

type Wait = { frame: Frame; due: number | null };
/** `leg`: begins the keys since then. `answered`: how many questions were answered before. */
type Part = { leg: string; answered: number; input?: unknown };
type Entry = Frame & { key: string; kind: string };

/** What a run is given instead of the service: a journal in memory, and time that passes only when the run waits. */
export type World = {
  /** Returns the answer to a frame; null: there is none. */
  take(frame: Frame): object | null;
  /** Lets time pass until something ends a wait. Returns that entry's line; null: nothing ever does. */
  skip(): object | null;
  /** Returns what the journal gives the run's next process. */
  kept(): { entries: Entry[]; waits: [string, number, string][]; tries: [string, number, number][] };
  /** Returns what the run has gone on with as a fresh one. */
  part(): Part;
  /** Notes a process's last frame. A run that goes on as a fresh one forgets what it has done and waited for. */
  end(frame: Frame, at: { attempt: number; answered: number }): void;
  /** Returns the names of what is waited for. */
  waiting(): string[];
  /** Returns how much time has passed, in ms. */
  clock(): number;
};

/** What a call that an entry is of is known by. */
const callOf = ({ key, name, branch, position }: Frame) => ({ key, name, branch, position, args: null });

export function createWorld({ signals, messages }: Script): World {
  const begin = Date.now();
  const entries = new Map<string, Entry>();
  const waits = new Map<string, Wait>();
  const tries = new Map<string, number>();
  const unsent = signals.map((signal) => ({ ...signal, at: (signal.after_s ?? 0) * 1000 }));
  const unread = messages.map((message) => ({ ...message, at: (message.after_s ?? 0) * 1000 }));
  let clock = 0;
  let part: Part = { leg: "", answered: 0 };

  function keep(fields: Frame & { kind: string }): object {
    const entry: Entry = { ...fields, key: String(fields["key"]), skipped_ms: clock };
    entries.set(entry.key, entry);
    waits.delete(entry.key);
    return { type: "entry", key: entry.key, entry };
  }

  /** Takes the first signal that has come for a wait. */
  function signalFor({ frame }: Wait): (typeof unsent)[number] | undefined {
    const names = frame["names"] as string[];
    const at = unsent.findIndex((signal) => signal.at <= clock && names.includes(signal.name));
    return at < 0 ? undefined : unsent.splice(at, 1)[0];
  }

  /** Returns the entry that a wait ends as now; null: it goes on. */
  function end(wait: Wait): object | null {
    const { frame, due } = wait;
    const call = { type: "entry", ...callOf(frame), ok: true };
    const isDue = due !== null && due <= clock;
    if (frame["kind"] === "timer") return isDue ? keep({ ...call, kind: "timer", result: "null" }) : null;
    const signal = signalFor(wait);
    if (signal)
      return keep({ ...call, kind: "signal", signal: signal.name, result: JSON.stringify(signal.payload ?? null) });
    return isDue ? keep({ ...call, kind: "late", ok: false, error: frame["error"] }) : null;
  }

  function open(frame: Frame): object | null {
    const { seconds, until } = frame;
    const until_ms = typeof until === "number" ? until - begin : null;
    const due = typeof seconds === "number" ? clock + seconds * 1000 : until_ms;
    const key = String(frame["key"]);
    const wait = waits.get(key) ?? { frame, due };
    waits.set(key, wait);
    return end(wait);
  }

  function read(frame: Frame): object {
    const ready = unread.filter(({ at }) => at <= clock);
    for (const message of ready) unread.splice(unread.indexOf(message), 1);
    const result = JSON.stringify(ready.map(({ payload }) => payload));
    return keep({ type: "entry", ...callOf(frame), ok: true, kind: "messages", result });
  }

  /** A signal that a wait had taken goes back. */
  function abandon(key: string): void {
    const entry = entries.get(key);
    if (entry?.kind === "signal")
      unsent.unshift({ name: String(entry["signal"]), payload: JSON.parse(String(entry["result"])), at: 0 });
    const frame = waits.get(key)?.frame;
    if (entry) entry.kind = "abandoned";
    else if (frame) keep({ type: "entry", ...callOf(frame), ok: true, kind: "abandoned" });
  }

  function endStep(frame: Frame): object | null {
    const key = String(frame["key"]);
    if (frame["retry_in_ms"] !== undefined) {
      tries.set(key, Number(frame["try"]) + 1);
      return null;
    }
    tries.delete(key);
    const { type: _, closes: __, try: ___, ...entry } = frame;
    keep({ type: "entry", ...entry, kind: String(entry["kind"]) });
    return entry["kind"] === "abandoned" ? null : { type: "kept", key };
  }

  return {
    take(frame) {
      if (frame.type === "step.end") return endStep(frame);
      if (frame.type === "wait.open") return open(frame);
      if (frame.type === "messages.take") return read(frame);
      if (frame.type === "wait.abandon") abandon(String(frame["key"]));
      if (frame.type !== "signal.url") return null;
      const result = JSON.stringify(`https://runfleet.invalid/signal/${String(frame["signal"])}`);
      return keep({ type: "entry", ...callOf(frame), ok: true, kind: "url", result });
    },
    skip() {
      const names = new Set([...waits.values()].flatMap(({ frame }) => frame["names"] as string[]));
      const due = [...waits.values()].flatMap((wait) => wait.due ?? []);
      const coming = unsent.filter(({ name }) => names.has(name)).map(({ at }) => at);
      const next = Math.min(...due, ...coming);
      if (next === Infinity) return null;
      clock = Math.max(clock, next);
      // The earliest first, and of one time a signal first.
      const order = [...waits.values()].toSorted((a, b) => (a.due ?? Infinity) - (b.due ?? Infinity));
      for (const wait of order) {
        const line = end(wait);
        if (line) return line;
      }
      return null;
    },
    kept: () => ({
      entries: [...entries.values()],
      waits: [...waits.values()].map(({ frame }) => [
        String(frame["branch"]),
        Number(frame["position"]),
        String(frame["name"]),
      ]),
      tries: [...tries].map(([key, number]) => [key, number, 0]),
    }),
    part: () => part,
    end({ type, input_payload: input }, { attempt, answered }) {
      if (type !== "continue") return;
      part = { leg: `+${attempt}`, answered, input };
      for (const known of [entries, waits, tries]) known.clear();
    },
    waiting: () => [...waits.values()].map(({ frame }) => String(frame["name"])),
    clock: () => clock,
  };
}
