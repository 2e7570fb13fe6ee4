import { type Logger, pino } from "pino";
import { errorText } from "./error-text.ts";
import { limitRepeats } from "./limit-log-repeats.ts";

export type Log = Logger;

/** JSON lines on stdout, without many repeats of one fault. Callers log named fields only: never a body, an input, a URL's query or an error's SQL. */
export function createLog(role: string, level: string): Log {
  const hooks = { logMethod: limitRepeats() };
  return pino({ level, base: { role, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, hooks });
}

/** Returns what logs the faults of a part's connection. */
export const logFaults =
  (log: Log, part: string) =>
  (error: Error): void =>
    log.warn({ part, err: errorText(error) }, "connection fault");
