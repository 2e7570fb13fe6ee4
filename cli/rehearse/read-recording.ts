import { callService } from "../call-service.ts";
import type { Client, Json } from "../client.ts";
import { Fault } from "../exit-codes.ts";
import type { Recorded, Recording } from "./replay.ts";

/** With what the run has gone on as a fresh one. `leg`: begins the keys since then. */
type Continued = { leg: string; input_payload: unknown };

/** Reads what a run's journal has. Throws Fault for a run that has kept nothing. */
export async function readRecording(client: Client, run_id: string): Promise<Recording> {
  const path = `/v1/runs/${encodeURIComponent(run_id)}`;
  const run = (await callService(client, "GET", path)).body;
  const entries: Recorded[] = [];
  let answers: unknown[] = [];
  let continued: Continued | null = null;
  for (let after = 0; ;) {
    const { body } = await callService(client, "GET", `${path}/journal?after=${after}`);
    const page = body as Json & {
      data: Recorded[];
      answers: unknown[];
      continued: Continued | null;
      has_more: boolean;
      last_place: number;
    };
    entries.push(...page.data);
    ({ answers, continued } = page);
    if (!page.has_more) break;
    after = page.last_place;
  }
  if (entries.length === 0)
    throw new Fault("not_found", `The run ${run_id} has kept no steps: there is nothing to replay.`);
  return { input: continued?.input_payload ?? run["input_payload"], answers, leg: continued?.leg ?? "", entries };
}
