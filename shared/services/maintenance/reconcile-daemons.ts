import { findNeglectedDaemons } from "../../store/daemons/find-neglected.ts";
import type { InternalJob } from "./internal-job.ts";

const batch = 1_000;

/** Sends signals again to the workers of daemons, where a lost one would leave something undone. */
export const reconcileDaemons: InternalJob = {
  name: "reconcile-daemons",
  summary: "Signals workers again about daemons without an owner and about unread messages.",
  every_ms: 60_000,
  async run({ db, streams }, { dry_run }) {
    const { unowned, unread } = await findNeglectedDaemons(db, batch);
    if (!dry_run) {
      const signals = [
        ...unowned.map((id) => streams.signalDaemons("look", id)),
        ...unread.map((id) => streams.signalDaemons("mail", id)),
      ];
      // Redis may be unreachable. The workers poll as well.
      await Promise.allSettled(signals);
    }
    return { unowned: unowned.length, unread: unread.length };
  },
};
