import { setTimeout as sleep } from "node:timers/promises";
import type { PlannedRun } from "./plan-run.ts";
import type { Reader } from "./follow-run.ts";

/** `response` streams the run. `asked`: how many requests were sent; whether the earlier ones arrived is unknown. */
export type Submission =
  | { kind: "accepted"; response: Response; hangUp: AbortController; asked: number }
  | { kind: "refused"; why: string };

const answerMs = 15_000;

/** POSTs the run until some API answers 2xx. The run id makes repeats safe, even if an earlier request was accepted. */
export async function submitRun(
  { apiUrls, random, deadline }: Reader,
  run: PlannedRun,
  callbackUrl: string | null,
): Promise<Submission> {
  const body = JSON.stringify({
    run_id: run.run_id,
    agent_id: run.agent,
    version: "current",
    input_payload: { token: run.token, n: run.n, pause: run.pause },
    thread_id: run.thread_id,
    completion_callback_url: callbackUrl,
  });
  for (let asked = 1; performance.now() < deadline; asked += 1) {
    const hangUp = new AbortController();
    const late = setTimeout(() => hangUp.abort(), answerMs);
    const response = await fetch(`${random.pick(apiUrls)}/v1/execute`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: hangUp.signal,
    }).catch(() => null);
    clearTimeout(late);
    if (response?.ok) return { kind: "accepted", response, hangUp, asked };
    const why = response ? `${response.status} ${await response.text().catch(() => "")}` : "";
    // 408: a cut kept a part of the request from arriving.
    if (response && ![408, 503].includes(response.status)) return { kind: "refused", why };
    await sleep(100 + random.below(300));
  }
  return { kind: "refused", why: "no API accepted it in time" };
}
