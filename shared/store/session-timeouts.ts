import type pg from "pg";

/** For `pg.Pool`: it waits for the promise, though the type of its option doesn't say so. */
type OnConnect = (client: pg.ClientBase) => void;

/**
 * Tells Postgres how long a session's statements may take, and how long its transactions may be idle. So it ends what they hold
 * when their process is gone without a word, or no longer waits. Later than the process itself, whose error says more.
 */
export const sessionTimeouts = (statementMs: number): OnConnect =>
  ((client: pg.ClientBase) =>
    client.query(
      `SET statement_timeout = ${statementMs}; SET idle_in_transaction_session_timeout = 60000`,
    )) as OnConnect;
