import { encodeRetry } from "./encode-sse.ts";
import type { StoreWatch } from "./watch-stores.ts";

/** Between these times a client waits before it connects again: at random, so that not all readers come at once. */
const retryMs = { least: 2_000, most: 4_000 };
/** The same when this process sends its readers away: another one is ready. */
const resumeMs = { least: 100, most: 2_000 };

const retryWithin = ({ least, most }: typeof retryMs): string =>
  encodeRetry(Math.round(least + Math.random() * (most - least)));

/** The first text of a stream: how long its client waits before it connects again. */
export const encodeStart = (): string => retryWithin(retryMs);

/** Why this process ends a stream that another process can go on with. */
export type SentAway = {
  /** Aborted when this process shuts down. */
  leaving: AbortSignal;
  /** Aborted when this process reaches no store. */
  cutOff: AbortSignal;
};

export const awayOf = ({
  leaving,
  stores,
}: {
  leaving: AbortSignal;
  stores: Pick<StoreWatch, "signal">;
}): SentAway => ({ leaving, cutOff: stores.signal() });

/** The last text of a stream that did not come to its own end. */
export const encodeAway = ({ leaving, cutOff }: SentAway): string =>
  leaving.aborted || cutOff.aborted ? retryWithin(resumeMs) : "";
