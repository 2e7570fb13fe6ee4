import { z } from "zod";
import { requestLimits } from "../domain/run/request-limits.ts";
import { runStatuses } from "../domain/run/run-status.ts";
import { labelFilter, labelledMetadata, tagList } from "./labels.ts";
import { choice, clientId, laxInt, pageQuery, text } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";

export const threadParams = z.object({ thread_id: text({ max: 512 }).meta({ example: "support-4711" }) });

const title = () => text({ min: 1, max: 256 }).nullish();
const stateSnapshot = () => text({ max: requestLimits.state_bytes });

/** The body of POST /v1/threads. */
export const threadBody = z
  .object({
    thread_id: clientId().nullish().meta({ description: "Left out: the service makes an id." }),
    id: clientId().nullish().meta({ description: "The same as `thread_id`, as agents and users have it." }),
    user_id: clientId().nullish().meta({ description: "The owner. Left out: the caller." }),
    agent_id: clientId()
      .nullish()
      .meta({ description: "The agent that the thread belongs to. Other agents can use the thread, too." }),
    title: title(),
    metadata: labelledMetadata().nullish(),
    tags: tagList().nullish(),
    state_snapshot: stateSnapshot().nullish().meta({ description: "The state with which the first run starts." }),
    if_exists: choice(["raise", "do_nothing"]).default("raise").meta({
      description: "If you have a thread with this id: `raise` is a 409, `do_nothing` returns that thread with 200.",
    }),
  })
  .default({ if_exists: "raise" })
  .meta({
    id: "ThreadBody",
    example: { thread_id: "support-4711", title: "Ada's order", metadata: { channel: "mail" } },
  });

const threadStatuses = ["idle", "busy", "interrupted", "error"] as const;

export const threadRecord = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    object: z.literal("thread"),
    user_id: z.string(),
    agent_id: z.string().nullable(),
    title: z.string().nullable(),
    status: z.enum(threadStatuses).meta({
      description:
        "busy: a run is queued or running. interrupted: the last run waits for an answer. error: the last run failed. idle: otherwise.",
    }),
    tags: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    forked_from: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "Thread",
    example: {
      id: "support-4711",
      thread_id: "support-4711",
      object: "thread",
      user_id: "ada",
      agent_id: "hello-agent",
      title: "Ada's order",
      status: "idle",
      tags: ["support"],
      metadata: { channel: "mail" },
      forked_from: null,
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type ThreadRecord = z.infer<typeof threadRecord>;

export const threadListQuery = pageQuery.extend({
  agent_id: clientId().optional().meta({ description: "Only things of this agent." }),
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  status: choice(threadStatuses).optional().meta({
    description:
      "Only things with this status. A page looks at most at 10,000 threads, so it may have fewer than `limit` and still `has_more`.",
  }),
  ...labelFilter,
  ...timeRange,
  search: text({ min: 1, max: 200 })
    .optional()
    .meta({ description: "Only threads with this text in the id or the title." }),
});

export const threadPatch = z
  .object({
    title: title(),
    tags: tagList().nullish().meta({ description: "Replaces the tags. Null removes them." }),
    metadata: labelledMetadata()
      .nullish()
      .meta({ description: "Merged into the existing metadata. Null removes a key, or all metadata." }),
  })
  .meta({ id: "ThreadPatch", example: { title: "Ada's second order", metadata: { closed: true } } });

export const threadState = z
  .object({
    object: z.literal("thread_state"),
    thread_id: z.string(),
    state_snapshot: z.string().nullable(),
    updated_at: z.string(),
  })
  .meta({
    id: "ThreadState",
    example: {
      object: "thread_state",
      thread_id: "support-4711",
      state_snapshot: '{"step":2}',
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });

export const threadStateBody = z
  .object({
    state_snapshot: stateSnapshot()
      .nullable()
      .meta({ description: "The state that the next run gets. Null: no state." }),
  })
  .meta({ id: "ThreadStateBody", example: { state_snapshot: '{"step":2}' } });

/** The state after an ended run. `id` is the run's id. */
export const pastState = z
  .object({
    id: z.string(),
    run_id: z.string(),
    object: z.literal("thread_state"),
    thread_id: z.string(),
    status: z.enum(runStatuses),
    state_snapshot: z.string().nullable(),
    created_at: z.string(),
    completed_at: z.string(),
  })
  .meta({
    id: "PastState",
    example: {
      id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      object: "thread_state",
      thread_id: "support-4711",
      status: "success",
      state_snapshot: '{"step":1}',
      created_at: "2026-11-21T10:00:00.000Z",
      completed_at: "2026-11-21T10:00:01.200Z",
    },
  });
export type PastState = z.infer<typeof pastState>;

export const threadMessage = z
  .object({
    id: z.string(),
    object: z.literal("thread_message"),
    thread_id: z.string(),
    run_id: z.string().nullable(),
    role: z.string().meta({
      description:
        "user: the input of a run that ended. assistant: the result of a successful one, and what its agent said.",
    }),
    content: z.unknown().meta({ description: "The input or the result of the run." }),
    text: z.string().nullable().meta({ description: "What the agent said: the text that it output. Null: none." }),
    created_at: z.string(),
  })
  .meta({
    id: "ThreadMessage",
    example: {
      id: "17",
      object: "thread_message",
      thread_id: "support-4711",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      role: "user",
      content: { text: "Where is my order?" },
      text: null,
      created_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type ThreadMessage = z.infer<typeof threadMessage>;

export const messageListQuery = pageQuery.extend({
  after: laxInt({ ge: 0 })
    .optional()
    .meta({ description: "The page starts after the thing with this id: `last_id` of the previous page." }),
});

export const forkBody = z
  .object({
    thread_id: clientId().nullish().meta({ description: "The new thread's id. Left out: the service makes one." }),
    run_id: clientId()
      .nullish()
      .meta({ description: "The last run whose messages and state are copied. Left out: all runs." }),
    title: title(),
    metadata: labelledMetadata().nullish().meta({ description: "Replaces the metadata of the original thread." }),
  })
  .default({})
  .meta({ id: "ForkBody", example: { run_id: "run_0199c0ffee", title: "What if" } });
