import { z } from "zod";
import { capacityErrors } from "../../shared/domain/errors/error-codes.ts";
import { laxInt, text } from "../../shared/schemas/primitives.ts";

/** Any text is accepted as an agent id. A text that can't be an id is a 404, not a 422. */
export const daemonParams = z.object({ agent_id: text({ max: 512 }).meta({ example: "hello-agent" }) });

export const waitQuery = z.object({
  wait: laxInt({ ge: 0, le: 60 }).default(0).meta({
    description: "Seconds to wait until the requested state is reached, or until the message's run has ended.",
  }),
});

/** The codes with which a message to a daemon is refused. */
export const messageErrors = [
  "agent_not_found",
  "agent_not_active",
  "no_worker",
  ...capacityErrors,
  "daemon_failed",
  "daemon_stopped",
  "too_many_daemons",
  "run_id_taken",
] as const;
