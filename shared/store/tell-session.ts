import type pg from "pg";

/** For `pg.Pool`: it waits for the promise, though the type of its option doesn't say so. */
type OnConnect = (client: pg.ClientBase) => void;

/**
 * Tells Postgres how long a session's statements may take, and how long its transactions may be idle. So it ends what they hold
 * when their process is gone without a word, or no longer waits. Later than the process itself, whose error says more. `more`: other settings.
 */
export const tellSession = (statementMs: number, more: readonly string[] = []): OnConnect => {
  const settings = [`statement_timeout = ${statementMs}`, "idle_in_transaction_session_timeout = 60000", ...more];
  const text = settings.map((setting) => `SET ${setting}`).join("; ");
  return ((client: pg.ClientBase) => client.query(text)) as OnConnect;
};
