import type { z } from "zod";
import type { adminUser } from "../../schemas/admin.ts";
import type { Db } from "../client.ts";
import type { Page, PageRequest } from "../read-page.ts";
import { listUsers, type UserFilter } from "../users/read-users.ts";
import { readAnalytics } from "./read-analytics.ts";
import { addSums, toAnalytics } from "./to-analytics.ts";

/** A page of users, with the figures of their runs that ended in a time range. */
export async function listUserFigures(
  db: Db,
  filter: UserFilter,
  { since, until }: { since: Date; until: Date },
  page: PageRequest,
): Promise<Page<z.infer<typeof adminUser>>> {
  const { data: users, ...ids } = await listUsers(db, filter, page);
  const keys = users.map(({ id }) => id);
  const figures = await readAnalytics(db, { by: "user", keys }, { since, until, unit: null, timezone: "UTC" });
  const sumsOf = new Map(figures.map((sums) => [sums.key, sums]));
  const data = users.map((user) => ({ ...user, figures: toAnalytics(sumsOf.get(user.id) ?? addSums([])) }));
  return { data, ...ids };
}
