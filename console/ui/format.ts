/** Returns a duration for people: `12 ms`, `2.71 s`, `3 m 5 s`, `2 h 10 m`. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return inTwo(seconds, 60, "m", "s");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return inTwo(minutes, 60, "h", "m");
  return inTwo(Math.floor(minutes / 60), 24, "d", "h");
}

/** Returns a time in its unit and the rest in the next smaller one, which is left out when there is none. */
function inTwo(count: number, size: number, unit: string, smaller: string): string {
  const rest = count % size;
  return `${Math.floor(count / size)} ${unit}${rest === 0 ? "" : ` ${rest} ${smaller}`}`;
}

const numbers = new Intl.NumberFormat("en");
export const formatCount = (count: number | null | undefined): string => (count == null ? "–" : numbers.format(count));

const leastUsd = 0.000_001;

function digitsOf(usd: number): number {
  if (usd >= 100) return 2;
  return usd >= 0.000_1 ? 4 : 6;
}

export function formatCost(usd: number | null | undefined): string {
  if (usd == null) return "–";
  if (usd === 0) return "$0";
  if (usd < leastUsd) return `<$${leastUsd.toFixed(6)}`;
  return `$${usd.toFixed(digitsOf(usd))}`;
}

const byteUnits = [
  [1_073_741_824, "GiB"],
  [1_048_576, "MiB"],
  [1_024, "KiB"],
] as const;

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes == null) return "–";
  const [size, unit] = byteUnits.find(([least]) => bytes >= least) ?? [1, "B"];
  return `${Number((bytes / size).toFixed(1))} ${unit}`;
}

export const formatShare = (share: number | null | undefined): string =>
  share == null ? "–" : `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)} %`;

const clock = new Intl.DateTimeFormat("en-GB", {
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  fractionalSecondDigits: 3,
});
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/**
 * Returns the time of today, else day and time, as the clock here has it. Another year is told. `isExact`: to the millisecond,
 * so that what happens one after the other can be told apart.
 */
export function formatTime(iso: string | number | null | undefined, isExact = false): string {
  if (iso === null || iso === undefined) return "–";
  const [at, now] = [new Date(iso), new Date()];
  const time = clock.format(at);
  if (at.toDateString() === now.toDateString()) return isExact ? time : time.slice(0, 8);
  const date = (at.getFullYear() === now.getFullYear() ? day : dayOfYear).format(at);
  return `${date} ${isExact ? time : time.slice(0, 5)}`;
}

/** Returns how long ago or ahead a time is, in one unit: `3 m ago`, `in 2 h`. */
export function formatAgo(iso: string | null | undefined, now: number): string {
  if (iso === null || iso === undefined) return "never";
  const ms = new Date(iso).getTime() - now;
  const text = inOneUnit(Math.abs(ms));
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

function inOneUnit(ms: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
  ] as const;
  const unit = units.find(([, size]) => ms >= size);
  return unit ? `${Math.floor(ms / unit[1])} ${unit[0]}` : `${Math.floor(ms / 1_000)} s`;
}

/** Returns an id with its middle left out: its beginning says what it is of, and its end tells it apart. */
export const shortId = (id: string): string => (id.length > 24 ? `${id.slice(0, 10)}…${id.slice(-6)}` : id);

/** Returns tokens that went in and came out. */
export const formatTokens = (
  usage: { input_tokens?: number | undefined; output_tokens?: number | undefined } | null,
): string =>
  usage?.input_tokens === undefined && usage?.output_tokens === undefined
    ? "–"
    : `${formatCount(usage.input_tokens)} / ${formatCount(usage.output_tokens)}`;

/** Returns a value as people read it: a text as it is, anything else as JSON. */
export const showValue = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "–");
