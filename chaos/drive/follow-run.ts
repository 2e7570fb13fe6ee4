import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { History } from "./history.ts";
import { readStream } from "./read-stream.ts";

export type Reader = { apiUrls: readonly [string, ...string[]]; random: Random; deadline: number };

const answerMs = 15_000;
/** What an API may answer while something is broken. 408: a cut kept a part of the request from arriving. 503: a store is away. */
const passing = [408, 503];

/**
 * Reads a run to its end from any API that answers. Resumes with Last-Event-ID after a connection broke or was dropped.
 * `first`: an answer that streams already. Gives up at the deadline (performance.now()).
 */
export async function followRun(
  { apiUrls, random, deadline }: Reader,
  history: History,
  first?: { response: Response; hangUp: AbortController },
): Promise<void> {
  if (first) await readStream(first.response, { history, random, deadline, hangUp: first.hangUp });
  while (!history.ended && performance.now() < deadline) {
    const hangUp = new AbortController();
    const response = await resume(random.pick(apiUrls), history, hangUp);
    if (response?.status === 200) await readStream(response, { history, random, deadline, hangUp });
    else if (response?.status === 204) history.ended = true;
    else {
      if (response && !passing.includes(response.status))
        history.oddities.push(`resuming was answered ${response.status}`);
      await sleep(100 + random.below(200));
    }
  }
}

async function resume(url: string, history: History, hangUp: AbortController): Promise<Response | null> {
  const last = history.events.at(-1)?.id;
  const late = setTimeout(() => hangUp.abort(), answerMs);
  try {
    const headers = last === undefined ? {} : { "last-event-id": last };
    return await fetch(`${url}/v1/runs/${history.run_id}/stream`, { headers, signal: hangUp.signal });
  } catch {
    return null;
  } finally {
    clearTimeout(late);
  }
}
