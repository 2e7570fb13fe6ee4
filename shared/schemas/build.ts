import { z } from "zod";

const buildStates = ["building", "ready", "failed"] as const;
export const buildState = z.enum(buildStates).meta({
  description: "`building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build.",
});

/** What runs of a built version execute instead of the config's own code. */
export const buildOutput = z.object({ entrypoint: z.string(), files: z.record(z.string(), z.string()) });
export type BuildOutput = z.infer<typeof buildOutput>;

export const buildRecord = z
  .object({
    object: z.literal("build"),
    agent_id: z.string(),
    version: z.string(),
    state: buildState,
    error: z.string().nullable().meta({ description: "Why the build failed." }),
    log: z.string().meta({ description: "What it printed, the last 256 KiB." }),
    lock: z.string().nullable().meta({
      description: "The packages, exactly: package-lock.json, or for Python a line of name, version and hash for each.",
    }),
    files: z.array(z.object({ name: z.string(), size: z.number().int() })).meta({ description: "What it made." }),
    attempts: z.number().int(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
  })
  .meta({
    id: "Build",
    example: {
      object: "build",
      agent_id: "hello-agent",
      version: "1.1.0",
      state: "ready",
      error: null,
      log: "added 3 packages in 2s\n",
      lock: null,
      files: [{ name: "src/index.bundle.mjs", size: 48_211 }],
      attempts: 1,
      started_at: "2026-11-21T10:00:00.000Z",
      ended_at: "2026-11-21T10:00:03.000Z",
    },
  });
export type BuildRecord = z.infer<typeof buildRecord>;

/** A message of a build's stream: the event's name, its id, and the JSON of its data. */
export const buildEvent = z
  .discriminatedUnion("event", [
    z
      .object({ event: z.literal("build.log"), id: z.string(), data: z.object({ text: z.string() }) })
      .meta({ id: "BuildLogEvent" }),
    z
      .object({
        event: z.literal("build.ended"),
        id: z.string(),
        data: z.object({ state: buildState, error: z.string().nullable() }),
      })
      .meta({ id: "BuildEndedEvent" }),
  ])
  .meta({ id: "BuildEvent", description: "A message of a build's stream. Ignore events that you don't know." });
export type BuildEvent = z.infer<typeof buildEvent>;
