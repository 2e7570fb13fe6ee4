import { Refused } from "../../schemas/field.ts";
import { readTime } from "../../schemas/read-lax.ts";

/** When a job fires: at the times of a cron expression, every `ms` (counted from 1970), or once. */
export type Schedule = { kind: "cron"; expression: string } | { kind: "every"; ms: number } | { kind: "at"; at: Date };

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const longestMs = 366 * 86_400_000;
const macros = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@hourly"];

/** Parses a schedule. Whether a cron expression ever fires is found out by `nextTick`. */
export function parseSchedule(text: string): Schedule | { fault: string } {
  const words = text.trim();
  if (/^every\b/i.test(words)) return parseInterval(words);
  if (/^\d{4}-\d\d-\d\d/.test(words)) {
    const at = /([Zz]|[+-]\d\d:?\d\d)$/.test(words.slice(10)) ? readTime(words) : null;
    return at === null || at instanceof Refused
      ? { fault: "not an RFC 3339 time with its offset" }
      : { kind: "at", at };
  }
  if (macros.includes(words)) return { kind: "cron", expression: words };
  const fields = words.split(/\s+/);
  // cron-parser would add missing fields and choose a random value for `H`.
  if (fields.length < 5 || fields.length > 6) return { fault: "a cron expression has 5 fields, or 6 with seconds" };
  if (fields.some((field) => /(^|,)H/i.test(field))) return { fault: "`H` is not a time" };
  return { kind: "cron", expression: words };
}

/** Parses a stored schedule, which was accepted before. */
export function storedSchedule(text: string | null): Schedule | null {
  const schedule = text === null ? null : parseSchedule(text);
  if (schedule && "fault" in schedule) throw new Error(`The schedule '${text}': ${schedule.fault}`);
  return schedule;
}

function parseInterval(words: string): Schedule | { fault: string } {
  const [, count, unit = ""] = /^every\s+(\d{1,9})\s*([smhd])$/i.exec(words) ?? [];
  const ms = Number(count) * (unitMs[unit.toLowerCase()] ?? Number.NaN);
  if (Number.isNaN(ms)) return { fault: "an interval is `every` with a number and s, m, h or d, like `every 5m`" };
  return ms > 0 && ms <= longestMs ? { kind: "every", ms } : { fault: "an interval is 1 second to 366 days" };
}
