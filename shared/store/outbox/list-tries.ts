import type { Db } from "../client.ts";

export type CallbackTry = {
  try: number;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
  at: Date;
};

/** A run's callback with its delivery log, the first try first. */
export type Callback = {
  id: string;
  type: string;
  url: string;
  status: "pending" | "delivered" | "exhausted";
  tries: number;
  last_error: string | null;
  next_attempt_at: Date;
  delivered_at: Date | null;
  log: CallbackTry[];
};

/** Returns null when the run has no callback: none was asked for, or the run has not ended. */
export async function listTries(db: Db, run_id: string): Promise<Callback | null> {
  return db.prisma.outboxMessage.findFirst({
    where: { run_id, webhook_id: null },
    select: {
      id: true,
      type: true,
      url: true,
      status: true,
      tries: true,
      last_error: true,
      next_attempt_at: true,
      delivered_at: true,
      log: { omit: { outbox_id: true }, orderBy: { try: "asc" } },
    },
  });
}
