import { z } from "zod";
import { capacityErrors } from "../../shared/domain/errors/error-codes.ts";
import { laxInt, text } from "../../shared/schemas/primitives.ts";

/** Any text is an agent id here: one that can't be an id names no agent, which is a 404. */
export const daemonParams = z.object({ agent_id: text({ max: 512 }).meta({ example: "hello-agent" }) });

export const waitQuery = z.object({
  wait: laxInt({ ge: 0, le: 60 })
    .default(0)
    .meta({ description: "Seconds to wait for what was asked for to come to be, or for the message's end." }),
});

/** What a message to a daemon is refused with. */
export const messageErrors = [
  "agent_not_found",
  "agent_not_active",
  "no_worker",
  ...capacityErrors,
  "daemon_failed",
  "too_many_daemons",
  "run_id_taken",
] as const;
