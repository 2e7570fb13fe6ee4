import type { PreferencesRecord } from "../../schemas/notification.ts";
import type { Db } from "../client.ts";
import { queryableOf } from "../prisma-transaction.ts";
import { lockUser } from "../users/lock-user.ts";

export async function readPreferences(db: Db, user_id: string): Promise<PreferencesRecord> {
  const preferences = await db.prisma.notificationPreference.findMany({
    where: { user_id },
    select: { type: true, in_app: true, webhook: true },
    orderBy: { type: "asc" },
  });
  return { user_id, preferences };
}

/** Replaces what stood. Of two entries of one type the last counts. */
export async function putPreferences(db: Db, { user_id, preferences }: PreferencesRecord): Promise<PreferencesRecord> {
  const rows = [...new Map(preferences.map((entry) => [entry.type, { ...entry, user_id }])).values()];
  await db.prisma.$transaction(async (tx) => {
    // Whoever only ever ran agents has no row yet; and two that put at once go one after the other.
    await lockUser(queryableOf(tx), user_id);
    await tx.notificationPreference.deleteMany({ where: { user_id } });
    await tx.notificationPreference.createMany({ data: rows });
  });
  return readPreferences(db, user_id);
}
