import { newId } from "../../ids.ts";
import type { Queryable } from "../runs/insert-run.ts";

export type PayerNews = {
  type: string;
  level: "info" | "warning" | "error";
  title: string;
  data: Record<string, unknown>;
  /** Names the cause: the same one doesn't notify twice. */
  dedup_key: string;
};

export async function notifyPayer(client: Queryable, user_id: string, news: PayerNews): Promise<void> {
  const { type, level, title, data, dedup_key } = news;
  await client.query(
    `INSERT INTO notifications (id, user_id, type, level, title, data, dedup_key)
     VALUES ($1, $2, $3, $4::notification_level, $5, $6, $7) ON CONFLICT (user_id, dedup_key) DO NOTHING`,
    [newId("notif"), user_id, type, level, title, JSON.stringify(data), dedup_key],
  );
}
