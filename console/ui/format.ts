/** Returns a duration for people: `12 ms`, `2.71 s`, `3 m 5 s`, `2 h 10 m`. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600)
    return seconds % 60 === 0 ? `${seconds / 60} m` : `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
  return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}

const numbers = new Intl.NumberFormat("en");
export const formatCount = (count: number | null | undefined): string => (count == null ? "–" : numbers.format(count));

export const formatCost = (usd: number | null | undefined): string =>
  usd == null ? "–" : `$${usd.toFixed(usd >= 100 ? 2 : 4)}`;

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes == null) return "–";
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

export const formatShare = (share: number | null | undefined): string =>
  share == null ? "–" : `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)} %`;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Returns the time of today, else day and time. */
export function formatTime(iso: string | number | null | undefined): string {
  if (iso === null || iso === undefined) return "–";
  const at = new Date(iso);
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? clock.format(at) : `${day.format(at)} ${clock.format(at).slice(0, 5)}`;
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
