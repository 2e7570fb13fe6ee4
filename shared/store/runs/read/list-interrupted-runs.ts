import type { AskingRun } from "../../../schemas/interrupt.ts";
import type { Db } from "../../client.ts";
import type { Owner } from "../../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../../read-page.ts";
import { type RunFilter, runListing } from "./list-runs.ts";
import { questionBytes, readAsking } from "../questions/unanswered-interrupts.ts";

/** Lists the runs that wait for a person, with their questions. */
export async function listInterruptedRuns(
  db: Db,
  owner: Owner,
  filter: Pick<RunFilter, "agent_id" | "thread_id" | "user_id" | "since" | "until">,
  page: PageRequest,
): Promise<Page<AskingRun>> {
  const load = async (ids: string[]) => (await readAsking(db, ids)).map((run) => ({ id: run.run_id, ...run }));
  const listing = { ...runListing(owner, { ...filter, status: "interrupted" }), bytes: [questionBytes], load };
  const found = await readPage(db, listing, page);
  const data = found.data.map((item) => {
    const { id: _, ...run } = item;
    return run;
  });
  return { ...found, data };
}
