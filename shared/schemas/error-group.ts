import { z } from "zod";
import { exampleOf } from "./example-of.ts";
import { choice, clientId, laxInt, text, timestamp, versionQuery } from "./primitives.ts";

const range = {
  since: timestamp()
    .optional()
    .meta({ description: "Only runs created at or after this time. Left out: 30 days before `until`." }),
  until: timestamp().optional().meta({ description: "Only runs created before this time. Left out: now." }),
};

const states = ["open", "resolved", "ignored"] as const;

export const errorGroupParams = z.object({
  fingerprint: text({ max: 512 }).meta({ example: "9f86d081884c7d659a2feaa0c55ad015" }),
});

export const errorGroupRange = z.object(range);

export const errorGroupQuery = z.object({
  ...range,
  agent_id: clientId().optional().meta({ description: "Only errors of this agent." }),
  version: versionQuery().optional().meta({ description: "Only runs of this version. The name must be exact." }),
  state: choice(states).optional().meta({ description: "Only groups in this state." }),
  limit: laxInt({ ge: 1, le: 200 }).default(100).meta({ description: "At most so many groups." }),
});

export const errorGroupPatch = z
  .object({
    state: choice(states).meta({
      description:
        "`resolved`: the group is open again when a run fails with the error later. `ignored`: it stays ignored until it is opened.",
    }),
  })
  .meta({ id: "ErrorGroupPatch", example: { state: "resolved" } });

const versionCount = z.object({ version: z.string(), count: z.number().int() });

const group = {
  object: z.literal("error_group"),
  fingerprint: z.string().meta({
    description:
      "The same for errors that are alike: of the same agent, code and type, raised in the same function, with the same message apart from numbers and ids.",
  }),
  agent_id: z.string(),
  user_id: z.string(),
  code: z.string(),
  type: z.string().nullable().meta({ description: "The class of the agent's exception. Null: there was none." }),
  message: z.string().meta({ description: "That of the newest run, at most 1,000 characters." }),
  frame: z
    .string()
    .nullable()
    .meta({ description: "The file and function that raised it. Null: it has no traceback." }),
  count: z.number().int().meta({ description: "The number of failed runs." }),
  share: z.number().meta({ description: "The share of all failed runs that were looked at." }),
  first_at: z.string().meta({ description: "When the oldest of the runs was created." }),
  last_at: z.string(),
  last_run_id: z.string(),
  versions: z.array(versionCount).meta({ description: "The versions that most of the runs had, at most ten." }),
  trend: z
    .array(z.number().int())
    .meta({ description: "The number of runs in each of 24 equal parts of the time range." }),
  state: z.enum(states),
  state_changed_at: z.string().nullable(),
  state_changed_by: z.string().nullable(),
  regressed: z.boolean().meta({ description: "True: it was resolved, and came back." }),
};

export const errorGroup = z.object(group).meta({
  id: "ErrorGroup",
  example: {
    object: "error_group",
    fingerprint: "9f86d081884c7d659a2feaa0c55ad015",
    agent_id: "invoice-reader",
    user_id: "ada",
    code: "agent_error",
    type: "ValueError",
    message: "photo-17.png is no PDF",
    frame: "main.py in main",
    count: 3,
    share: 0.75,
    first_at: "2026-11-20T10:00:00.000Z",
    last_at: "2026-11-21T10:00:00.000Z",
    last_run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
    versions: [{ version: "1.0.0", count: 3 }],
    trend: [...Array<number>(22).fill(0), 2, 1],
    state: "open",
    state_changed_at: null,
    state_changed_by: null,
    regressed: false,
  },
});
export type ErrorGroup = z.infer<typeof errorGroup>;

/** The newest runs of a group that are told, as many as a bulk request takes. */
export const mostRunIds = 1_000;

export const errorGroupDetails = z
  .object({
    ...group,
    traceback: z.string().nullable().meta({ description: "That of the newest run." }),
    run_ids: z.array(z.string()).meta({
      description: `Its runs, newest first, at most ${mostRunIds}: what \`POST /v1/runs/bulk/replay\` takes.`,
    }),
  })
  .meta({
    id: "ErrorGroupDetails",
    example: {
      ...exampleOf(errorGroup),
      traceback: 'File "main.py", line 3, in main\nValueError: photo-17.png is no PDF',
      run_ids: ["run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c"],
    },
  });

export const errorGroups = z
  .object({
    since: z.string(),
    until: z.string(),
    failures: z.number().int().meta({ description: "The failed runs that were looked at: the newest 5,000 at most." }),
    more: z.boolean().meta({ description: "True: older failed runs of the time range were not looked at." }),
    data: z.array(errorGroup).meta({ description: "The group with most runs comes first." }),
  })
  .meta({
    id: "ErrorGroups",
    example: {
      since: "2026-10-22T10:00:00.000Z",
      until: "2026-11-21T10:00:00.000Z",
      failures: 4,
      more: false,
      data: [exampleOf(errorGroup)],
    },
  });
