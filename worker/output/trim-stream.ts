import { salvageStream } from "../../shared/services/runs/salvage-stream.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";

/** So many characters of a run's stream may be in the transcript, too. */
const storedLength = 256 * 1024;

type Deps = { db: Db; streams: RunStreams };

/**
 * Returns what is to be called with each batch that the transcript holds. It then removes what the batches before said from the
 * stream, so that a run that says much doesn't fill Redis. The last batch stays: readers who are a little late find it there.
 */
export function createStreamTrimmer({ db, streams }: Deps, run: HeldRun): (batch: readonly StreamEvent[]) => void {
  let length = 0;
  let isTrimming = false;
  // What a lost attempt has said may be in the stream alone.
  let isSalvaged = run.attempt === 1;

  async function trim(first: StreamEvent): Promise<void> {
    if (!isSalvaged) await salvageStream(db, streams, run.id, run.attempt - 1);
    isSalvaged = true;
    await streams.trim(run.id, first);
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
