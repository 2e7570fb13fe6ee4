import type { RunInput } from "../../schemas/run-input.ts";
import type { Db } from "../client.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import type { Condition } from "../where-clause.ts";

/** What was said to a run. `untaken`: whether nothing has taken it; undefined: either. */
export async function listInputs(
  db: Db,
  run_id: string,
  { untaken }: { untaken: boolean | undefined },
  page: PageRequest,
): Promise<Page<RunInput>> {
  const load = async (ids: string[]): Promise<RunInput[]> => {
    const rows = await db.prisma.runInput.findMany({ where: { run_id, id: { in: ids } } });
    return rows.map(({ id, kind, name, sent_id, taken_by, created_at }) => ({
      id,
      kind: kind as RunInput["kind"],
      name: name || null,
      sent_id,
      taken: taken_by !== null,
      accepted_at: created_at.toISOString(),
    }));
  };
  const filters: Condition[] = [["(taken_by IS NULL) = ?", untaken]];
  return readPage(
    db,
    { table: "run_inputs", key: "id", within: [["run_id = ?", run_id]], filters, bytes: [], load },
    page,
  );
}
