import pg from "pg";
import { batchCalls, type BatchOptions, type ItemOutcome } from "../platform/lifecycle/batch-calls.ts";
import { isTransientState } from "./sql-faults.ts";

type Client = Pick<pg.ClientBase, "query">;

/** Something that one statement does for many callers. */
export type Batch<Item, Result> = BatchOptions<Item> & {
  /** Gives each item its result, in order. When it rejects, nothing was written for any of them. */
  act: (client: Client, items: Item[]) => Promise<readonly Result[]>;
};

/** Does `batch` for one item, with all who ask for the same meanwhile. Items with different keys never go together. */
export type InBatches = <Item, Result>(batch: Batch<Item, Result>, item: Item, key?: string) => Promise<Result>;

/**
 * The batches of one process. An item of a batch that Postgres refuses is tried alone then: so each has its own result and
 * its own error, and none fails for another's fault. Without Postgres all of a batch fail alike.
 */
export function createBatches(client: Client): InBatches {
  const calls = new Map<unknown, Map<string, (item: never) => Promise<unknown>>>();

  async function actOn<Item, Result>({ act }: Batch<Item, Result>, items: Item[]): Promise<ItemOutcome<Result>[]> {
    try {
      return (await act(client, items)).map((value) => ({ value }));
    } catch (error) {
      if (items.length === 1 || !isRefused(error)) return items.map(() => ({ error }));
      const verdicts: ItemOutcome<Result>[] = [];
      for (const item of items) verdicts.push(...(await actOn({ act, most: 1 }, [item])));
      return verdicts;
    }
  }

  return <Item, Result>(batch: Batch<Item, Result>, item: Item, key = "") => {
    const byKey = calls.get(batch) ?? new Map<string, (item: never) => Promise<unknown>>();
    calls.set(batch, byKey);
    const call = (byKey.get(key) ?? batchCalls((items: Item[]) => actOn(batch, items), batch)) as (
      item: Item,
    ) => Promise<Result>;
    byKey.set(key, call);
    return call(item);
  };
}

/** A rollback (40) and a lock (55) concern the rows of some item. */
const classesOfItems = ["40", "55"];

/** True when Postgres answered, and refused the statement for what is in it, or for a lock. */
const isRefused = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (!isTransientState(error.code ?? "") || classesOfItems.includes((error.code ?? "").slice(0, 2)));
