import { z } from "zod";
import { daemonRecord } from "./daemon.ts";
import { versionName } from "./agent.ts";
import { clientId } from "./primitives.ts";

/** The body of POST /v1/upgrade. */
export const upgrade = z
  .object({
    agent_id: clientId(),
    version: versionName().meta({ description: "The new current version: an exact one, a tag or `latest`." }),
  })
  .meta({ id: "Upgrade", example: { agent_id: "hello-agent", version: "1.1.0" } });

/** The body of POST /v1/rollback. */
export const rollback = z
  .object({
    agent_id: clientId(),
    version: versionName()
      .nullish()
      .meta({ description: "Null: the version that was published before the current one." }),
  })
  .meta({ id: "Rollback", example: { agent_id: "hello-agent" } });

export const upgraded = z
  .object({
    agent_id: z.string(),
    previous_version: z.string(),
    version: z.string(),
    direction: z.enum(["upgrade", "downgrade", "none"]),
    changed: z.boolean().meta({ description: "False: the version was current already." }),
    created: z
      .boolean()
      .meta({ description: "True: the version was published by this request, with a copy of the current config." }),
    daemon: daemonRecord
      .nullable()
      .meta({ description: "The agent's daemon, which is replaced and watched. Null: no daemon is running." }),
    upgraded_at: z.string(),
  })
  .meta({
    id: "Upgraded",
    example: {
      agent_id: "hello-agent",
      previous_version: "1.0.0",
      version: "1.1.0",
      direction: "upgrade",
      changed: true,
      created: false,
      daemon: null,
      upgraded_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type Upgraded = z.infer<typeof upgraded>;
