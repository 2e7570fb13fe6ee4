export type TimeScale = {
  /** Returns where a time is, from 0 to 1. */
  at(time: number): number;
  /** Stretches in which nothing happened, and which are drawn short: where, and how long they were. */
  breaks: { at: number; ms: number }[];
};

const longMs = 30_000;
/** The part of the width that a long idle stretch keeps. */
const breakShare = 0.06;

/**
 * Returns a scale over the times at which something began or ended. A stretch of more than 30 s in which nothing did, and which
 * would take most of the width, is drawn short: a run that waited a night still shows its seconds.
 */
export function makeTimeScale(times: readonly number[]): TimeScale {
  const points = [...new Set(times)].toSorted((one, other) => one - other);
  const stretches = points
    .slice(1)
    .map((to, index) => ({ from: points[index] ?? to, to, ms: to - (points[index] ?? to) }));
  const total = stretches.reduce((sum, { ms }) => sum + ms, 0);
  const isBreak = ({ ms }: { ms: number }): boolean => ms > longMs && ms > total * 0.3;
  const kept = stretches.filter((one) => !isBreak(one)).reduce((sum, { ms }) => sum + ms, 0);
  const breaks = stretches.filter(isBreak);
  // A run that did nothing but wait keeps its time as it was.
  if (breaks.length === 0 || kept === 0) return linear(points);
  const left = 1 - breaks.length * breakShare;
  let place = 0;
  const placed = stretches.map((stretch) => {
    const width = isBreak(stretch) ? breakShare : (stretch.ms / kept) * left;
    const start = place;
    place += width;
    return { ...stretch, start, width };
  });
  return {
    breaks: placed.filter(isBreak).map(({ start, width, ms }) => ({ at: start + width / 2, ms })),
    at(time) {
      const stretch = placed.find(({ to }) => time <= to) ?? placed.at(-1);
      if (!stretch) return 0;
      return clamp(stretch.start + ((time - stretch.from) / Math.max(1, stretch.ms)) * stretch.width);
    },
  };
}

function linear(points: number[]): TimeScale {
  const first = points[0] ?? 0;
  const whole = Math.max(1, (points.at(-1) ?? 0) - first);
  return { at: (time) => clamp((time - first) / whole), breaks: [] };
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share));
