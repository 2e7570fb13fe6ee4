import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";

/** So many characters of a run's stream may be in the transcript, too. */
const storedLength = 256 * 1024;

/**
 * Returns what is to be called with each batch that the transcript holds. It then removes what the batches before said from the
 * stream, so that a run that says much doesn't fill Redis. The last batch stays: readers who are a little late find it there.
 * `salvage`: see salvage-earlier.ts; what a lost attempt has said may be in the stream alone.
 */
export function createStreamTrimmer(
  streams: RunStreams,
  runId: string,
  salvage: () => Promise<boolean>,
): (batch: readonly StreamEvent[]) => void {
  let length = 0;
  let isTrimming = false;

  async function trim(first: StreamEvent): Promise<void> {
    if (await salvage()) await streams.trim(runId, first);
  }

  return (batch) => {
    for (const { data } of batch) length += data.length;
    const [first] = batch;
    if (!first || length < storedLength || isTrimming) return;
    length = 0;
    isTrimming = true;
    // A trim that fails is made up for by the next one.
    void trim(first)
      .catch(() => undefined)
      .finally(() => (isTrimming = false));
  };
}
