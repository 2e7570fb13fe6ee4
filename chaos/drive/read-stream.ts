import { createParser } from "eventsource-parser";
import { isTerminalEvent } from "../../shared/domain/run/run-status.ts";
import type { Random } from "../random.ts";
import type { History } from "./history.ts";

export type Reading = {
  history: History;
  random: Random;
  /** When to give up, by performance.now(). */
  deadline: number;
  /** Aborts the connection that is being read. */
  hangUp: AbortController;
};

/** Longer than the API lets a stream be silent (it pings every 15 s). */
const silenceMs = 20_000;

/** Reads one connection into the history until it ends or breaks, or until the reader drops it, at random. */
export async function readStream(response: Response, { history, random, deadline, hangUp }: Reading): Promise<void> {
  let left = random.chance(0.45) ? random.below(6) : Number.POSITIVE_INFINITY;
  let dropped = false;
  const parser = createParser({
    onEvent({ id, event, data }) {
      if (dropped) return;
      const type = event ?? "";
      history.events.push({ id: id ?? "", type, data });
      history.ended ||= isTerminalEvent(type);
      left -= 1;
      dropped = left <= 0 && !history.ended;
    },
  });
  const decoder = new TextDecoder();
  const late = setTimeout(() => hangUp.abort(), deadline - performance.now());
  let silent = setTimeout(() => hangUp.abort(), silenceMs);
  try {
    for await (const chunk of response.body ?? []) {
      clearTimeout(silent);
      silent = setTimeout(() => hangUp.abort(), silenceMs);
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (dropped) break;
    }
  } catch {
    // The connection broke; the caller resumes.
  } finally {
    clearTimeout(silent);
    clearTimeout(late);
  }
  if (dropped) {
    history.cuts += 1;
    hangUp.abort();
  } else if (!history.ended) history.breaks += 1;
}
