import { Runfleet } from "../../sdk/ts/index.ts";
import { createRandom } from "../random.ts";
import { openRandomCuts } from "./random-cuts.ts";

/** What a client read of a run: the events' ids, and the text that it showed at the end. */
export type Read = { ids: string[]; text: string };
/** Runs an agent through a service at `url`, and reads the run. */
export type Client = (url: string, agent: string, runId: string) => Promise<Read>;

export type CutOptions = { seed: number; cuts: number; readers: number };
export type CutVerdict = { runs: number; cuts: number; events: number; faults: string[] };

const agent = "cut-streams";
const source = `
def main(input):
    for i in range(60):
        yield f"{i}: " + "é€😀" * (i % 9 * 10) + "\\n"
    return {"said": 60}
`;
const spoken = Array.from({ length: 60 }, (_, i) => `${i}: ${"é€😀".repeat((i % 9) * 10)}\n`).join("");

/**
 * Runs an agent again and again through connections that are cut at random bytes, until there were so many cuts. A fault is a
 * run whose reader has not read each event once and in order, and a request that made no run or two.
 */
export async function cutStreams(
  url: string,
  client: Client,
  { seed, cuts, readers }: CutOptions,
): Promise<CutVerdict> {
  const service = new Runfleet({ url });
  const config = { source };
  await service.agents.create({ user_id: "chaos", id: agent, name: agent, version: "1.0.0", config });
  const proxy = await openRandomCuts(Number(new URL(url).port), createRandom(`${seed}/cuts`), cuts);
  const faults: string[] = [];
  let [runs, events] = [0, 0];

  async function read(): Promise<void> {
    while (proxy.cuts() < cuts && faults.length === 0) {
      const id = `cut-${seed}-${runs++}`;
      const found = await client(proxy.url, agent, id).catch((error: unknown) => String(error));
      if (typeof found === "string") {
        faults.push(`${id}: ${found}`);
        continue;
      }
      events += found.ids.length;
      const stored: string[] = [];
      for await (const event of service.runs.listEvents(id, { limit: 100 })) stored.push(event.id);
      if (found.ids.join() !== stored.join()) faults.push(`${id}: read ${found.ids.join()}, stored ${stored.join()}`);
      if (found.text !== spoken) faults.push(`${id}: another text was shown`);
    }
  }

  try {
    await Promise.all(Array.from({ length: readers }, read));
    const listed: string[] = [];
    for await (const run of service.agents.listRuns(agent, { limit: 100 }))
      if (run.id.startsWith(`cut-${seed}-`)) listed.push(run.id);
    if (listed.length !== runs) faults.push(`${runs} runs were started, and there are ${listed.length}`);
    return { runs, cuts: proxy.cuts(), events, faults };
  } finally {
    await proxy.close();
  }
}

/** The TypeScript SDK. */
export const typescriptClient: Client = async (url, name, run_id) => {
  const run = new Runfleet({ url }).run(name, {}, { run_id });
  const ids: string[] = [];
  let text = "";
  for await (const event of run) {
    ids.push(`${event.attempt}-${event.seq}`);
    if (event.type === "output.delta") text += String(event.content);
  }
  return { ids, text };
};
