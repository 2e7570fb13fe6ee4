import { findNeglectedDaemons } from "../../store/daemons/find-neglected.ts";
import type { InternalJob } from "./internal-job.ts";

const batch = 1_000;

/** What is said to the workers of daemons may get lost: it is said again where something should have come of it. */
export const reconcileDaemons: InternalJob = {
  name: "reconcile-daemons",
  summary: "Reminds the workers of daemons that nobody has, and of mail that nobody has read.",
  every_ms: 60_000,
  async run({ db, streams }, { dry_run }) {
    const { unowned, unread } = await findNeglectedDaemons(db, batch);
    if (!dry_run) {
      const told = [
        ...unowned.map((id) => streams.signalDaemons("look", id)),
        ...unread.map((id) => streams.signalDaemons("mail", id)),
      ];
      // Redis may be away; the workers look by themselves as well.
      await Promise.allSettled(told);
    }
    return { unowned: unowned.length, unread: unread.length };
  },
};
