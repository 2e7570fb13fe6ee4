import { z } from "zod";
import { filterFault, type HookFilter } from "../domain/hook/filter.ts";
import { templateFault } from "../domain/hook/template.ts";
import { runtimeModes } from "../domain/run/run-modes.ts";
import { field, Refused, refuse } from "./field.ts";
import {
  choice,
  clientId,
  type JsonObject,
  jsonObject,
  laxInt,
  metadataObject,
  pageQuery,
  stringMap,
  text,
} from "./primitives.ts";
import { readText } from "./read-lax.ts";
import { deliveryRange } from "./redelivery.ts";
import { inputName } from "./run-input.ts";
import { timeRange } from "./run-filter.ts";

export const hookSchemes = ["github", "stripe", "slack", "standard", "hmac", "none"] as const;
export type HookScheme = (typeof hookSchemes)[number];

const hookStatuses = ["active", "paused"] as const;
const answers = ["accepted", "result"] as const;

/** The most bytes of a map or a filter, as JSON. */
const ruleBytes = 16 * 1024;

export const hookParams = z.object({
  hook_id: text({ max: 512 }).meta({ example: "hook_9f2c4be1a07d4e6c8b15d3f0a6e7c921" }),
});

/** A text with placeholders, such as `pr-{/body/number}`. */
const template = () =>
  field(
    (value) => {
      const read = readText(value, { min: 1, max: 512 });
      const fault = read instanceof Refused ? null : templateFault(read);
      return fault === null ? read : refuse("value_error", `Value error, ${fault}`);
    },
    { type: "string", minLength: 1, maxLength: 512 },
  );

/** An object of a bounded size for which `faultOf` returns null. */
const rule = <T extends object>(faultOf: (value: object) => string | null) =>
  field(
    (value) => {
      const read = jsonObject().safeParse(value);
      if (!read.success) return refuse("dict_type", "Input should be a valid dictionary");
      if (Buffer.byteLength(JSON.stringify(read.data)) > ruleBytes)
        return refuse("value_error", `Value error, must be at most ${ruleBytes} bytes as JSON`);
      const fault = faultOf(read.data);
      return fault === null ? (read.data as T) : refuse("value_error", `Value error, ${fault}`);
    },
    { type: "object", additionalProperties: true },
  );

/** How a sender signs whose scheme is `hmac`. */
const signature = () =>
  z.object({
    header: text({ max: 100, pattern: /^[A-Za-z0-9-]+$/ }).meta({ description: "The header with the signature." }),
    algorithm: choice(["sha256", "sha512", "sha1"]).default("sha256"),
    encoding: choice(["hex", "base64"]).default("hex"),
  });

/** Where a delivery names the run that waits for it, and the signal that the run waits for. */
const target = () => z.object({ run_id: template(), name: inputName });

const docs = {
  version: "An exact version, a tag, `current` or `latest`, looked up at each delivery.",
  verify:
    "Who signs the deliveries, and how: `github`, `stripe`, `slack`, `standard` (Standard Webhooks), `hmac` (an HMAC of the body in a header, see `signature`), or `none`: whoever knows the address may start runs.",
  signature:
    "For `hmac` only: the header, such as `X-Hub-Signature`, and the signature's form. A prefix such as `sha256=` is allowed.",
  secret:
    "The secret that the sender signs with. Left out for `github`, `standard` and `hmac`: one is made and shown once. For `stripe` and `slack` it can follow by `POST /v1/hooks/{hook_id}/rotate`, since they make it themselves.",
  filter:
    'What a delivery must hold to start a run: values by JSON pointer into `headers`, `query` and `body`. A value may be a list (one of them) or `{"not": …}`; null means absent. Other deliveries are answered 200 and start nothing.',
  map: "The run's input. A text that is `{/body/issue/title}` becomes that value of the delivery, of any type; within a longer text it is inserted. Left out: the body.",
  dedupe:
    "Deliveries for which this text is the same are one delivery, as in `{/body/id}`. Left out: the id that the sender gives its deliveries; with `hmac` and `none` each request is a delivery of its own.",
  thread: "The run's thread, as in `pr-{/body/number}`. A delivery without that value has no thread.",
  signal:
    "The delivery starts no run: it is a signal to one that waits, by `context.wait_for(name)`. `run_id` says where the delivery names the run, as in `{/body/data/object/metadata/run_id}`; it must be a run of the hook's owner. The payload is what `map` gives.",
  respond:
    "accepted: 202 as soon as the run is stored. result: the result of the run, if it succeeds within 25 s; else as `accepted`.",
};

const settings = {
  version: text({ min: 1, max: 128 }),
  description: text({ max: 500 }),
  signature,
  filter: () => rule<HookFilter>(filterFault),
  map: () => rule<JsonObject>(templateFault),
};

/** The body of POST /v1/hooks. */
export const hookBody = z
  .object({
    agent_id: clientId().meta({ description: "The agent that runs. Its owner is the owner of the hook and its runs." }),
    version: settings.version.default("current").meta({ description: docs.version }),
    runtime_mode: choice(runtimeModes).default("standard"),
    verify: choice(hookSchemes).meta({ description: docs.verify }),
    signature: signature().nullish().meta({ description: docs.signature }),
    secret: text({ min: 8, max: 512 }).nullish().meta({ description: docs.secret }),
    filter: settings.filter().nullish().meta({ description: docs.filter }),
    map: settings.map().nullish().meta({ description: docs.map }),
    dedupe: template().nullish().meta({ description: docs.dedupe }),
    thread: template().nullish().meta({ description: docs.thread }),
    signal: target().nullish().meta({ description: docs.signal }),
    respond: choice(answers).default("accepted").meta({ description: docs.respond }),
    description: settings.description.nullish(),
    metadata: metadataObject().nullish(),
  })
  .meta({
    id: "HookBody",
    example: {
      agent_id: "reviewer",
      verify: "github",
      filter: { "/headers/x-github-event": "pull_request", "/body/action": ["opened", "synchronize"] },
      map: { title: "{/body/pull_request/title}", url: "{/body/pull_request/url}" },
      thread: "pr-{/body/pull_request/id}",
    },
  });
export type HookBody = z.infer<typeof hookBody>;

/** The body of PATCH /v1/hooks/{hook_id}. */
export const hookPatch = z
  .object({
    version: settings.version.optional().meta({ description: docs.version }),
    runtime_mode: choice(runtimeModes).optional(),
    signature: signature().optional().meta({ description: docs.signature }),
    filter: settings
      .filter()
      .nullish()
      .meta({ description: `${docs.filter} It is replaced as a whole.` }),
    map: settings
      .map()
      .nullish()
      .meta({ description: `${docs.map} It is replaced as a whole.` }),
    dedupe: template().nullish().meta({ description: docs.dedupe }),
    thread: template().nullish().meta({ description: docs.thread }),
    signal: target()
      .nullish()
      .meta({ description: `${docs.signal} It is replaced as a whole.` }),
    respond: choice(answers).optional().meta({ description: docs.respond }),
    status: choice(hookStatuses)
      .optional()
      .meta({ description: "The deliveries of a paused hook are refused with 409 `hook_paused`." }),
    description: settings.description.nullish(),
    metadata: metadataObject()
      .nullish()
      .meta({ description: "Merged into the existing metadata. Null removes a key, or all metadata." }),
  })
  .meta({ id: "HookPatch", example: { status: "paused" } });
export type HookPatch = z.infer<typeof hookPatch>;

export const hookListQuery = pageQuery.extend({
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  agent_id: clientId().optional().meta({ description: "Only things of this agent." }),
  status: choice(hookStatuses).optional().meta({ description: "Only things with this status." }),
  ...timeRange,
});

/** What a hook does with its deliveries, as it is stored and shown. */
export const hookRules = z.object({
  signature: z
    .object({
      header: z.string(),
      algorithm: z.enum(["sha256", "sha512", "sha1"]),
      encoding: z.enum(["hex", "base64"]),
    })
    .nullable(),
  filter: jsonObject().nullable(),
  map: jsonObject().nullable(),
  dedupe: z.string().nullable(),
  thread: z.string().nullable(),
  // Hooks of before have none.
  signal: z.object({ run_id: z.string(), name: z.string() }).nullable().default(null),
});
export type HookRules = z.infer<typeof hookRules>;

const example = {
  id: "hook_9f2c4be1a07d4e6c8b15d3f0a6e7c921",
  object: "hook" as const,
  user_id: "ada",
  agent_id: "reviewer",
  version: "current",
  runtime_mode: "standard" as const,
  url: "https://runs.example.com/hooks/hook_9f2c4be1a07d4e6c8b15d3f0a6e7c921",
  verify: "github" as const,
  signature: null,
  has_secret: true,
  previous_secret_until: null,
  filter: { "/headers/x-github-event": "pull_request" },
  map: { title: "{/body/pull_request/title}" },
  dedupe: null,
  thread: "pr-{/body/pull_request/id}",
  signal: null,
  respond: "accepted" as const,
  status: "active" as const,
  last_refusal: null,
  description: null,
  metadata: {},
  created_at: "2026-11-23T10:00:00.000Z",
  updated_at: "2026-11-23T10:00:00.000Z",
};

const hook = z.object({
  id: z.string(),
  object: z.literal("hook"),
  user_id: z.string(),
  agent_id: z.string(),
  version: z.string(),
  runtime_mode: z.enum(runtimeModes),
  url: z.string().meta({
    description: "Where the sender POSTs its deliveries. Without PUBLIC_URL it is the path on this service.",
  }),
  verify: z.enum(hookSchemes),
  ...hookRules.shape,
  has_secret: z
    .boolean()
    .meta({ description: "False: deliveries are refused until a secret is set. The scheme `none` needs no secret." }),
  previous_secret_until: z
    .string()
    .nullable()
    .meta({ description: "Until then the secret before the last rotation is accepted, too." }),
  respond: z.enum(answers),
  status: z.enum(hookStatuses),
  last_refusal: z
    .object({ at: z.string(), code: z.string() })
    .nullable()
    .meta({ description: "The last request that was no delivery, such as one with an invalid signature." }),
  description: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
});
export const hookRecord = hook.meta({ id: "Hook", example });
export type HookRecord = z.infer<typeof hookRecord>;

const secret = z.string().nullable().meta({
  description: "The secret if the service made it, to be set at the sender. It is only shown in this answer.",
});
export const newHook = hook.extend({ secret }).meta({ id: "NewHook", example: { ...example, secret: "whsec_…" } });

/** The body of POST /v1/hooks/{hook_id}/rotate. */
export const rotateHookBody = z
  .object({
    secret: text({ min: 8, max: 512 })
      .nullish()
      .meta({ description: "The secret that the sender made. Left out: one is made, but for `stripe` and `slack`." }),
    overlap_ms: laxInt({ ge: 0, le: 7 * 24 * 3_600_000 })
      .default(24 * 3_600_000)
      .meta({ description: "How long the previous secret is accepted, too. 0: no longer, as when it has leaked." }),
  })
  .meta({ id: "RotateHookBody", example: { secret: "whsec_of_the_sender" } });

const deliveryStatuses = ["pending", "accepted", "filtered", "failed", "handshake"] as const;

export const hookDeliveryQuery = pageQuery.extend({
  status: choice(deliveryStatuses).optional().meta({ description: "Only things with this status." }),
  event: text({ max: 128 }).optional().meta({ description: "Only deliveries of this event type." }),
  ...timeRange,
});

/** A request that a hook's sender has signed. */
export const hookDelivery = z
  .object({
    id: z.string(),
    object: z.literal("hook_delivery"),
    hook_id: z.string(),
    event: z
      .string()
      .nullable()
      .meta({ description: "The type of the event in the sender's words, where it tells one." }),
    dedupe_key: z.string().nullable(),
    status: z.enum(deliveryStatuses).meta({
      description:
        "accepted: it has started a run, or is kept as a signal to one. filtered: the hook's filter left it out. failed: nothing could come of it; see `error`. handshake: a test of the sender. pending: the run is being stored.",
    }),
    run_id: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    bytes: z.number().int(),
    repeats: z.number().int().meta({ description: "How often the same delivery came again." }),
    replays: z.number().int().meta({ description: "How often `POST /v1/hooks/{hook_id}/replay` repeated it." }),
    created_at: z.string(),
  })
  .meta({
    id: "HookDelivery",
    example: {
      id: "delivery_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "hook_delivery",
      hook_id: example.id,
      event: "pull_request",
      dedupe_key: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      status: "accepted",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      error: null,
      bytes: 7_482,
      repeats: 0,
      replays: 0,
      created_at: example.created_at,
    },
  });
export type HookDelivery = z.infer<typeof hookDelivery>;

/** The answer to a sender. */
export const hookReceipt = z
  .object({
    received: z.literal(true),
    delivery_id: z.string(),
    status: z.enum(deliveryStatuses),
    run_id: z.string().nullable(),
    duplicate: z.boolean().meta({ description: "True: the same delivery came before." }),
  })
  .meta({
    id: "HookReceipt",
    example: {
      received: true,
      delivery_id: "delivery_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      status: "accepted",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      duplicate: false,
    },
  });

/** The body of POST /v1/hooks/{hook_id}/test: a request as the sender would send it, unsigned, or a delivery of before. */
export const testHookBody = z
  .object({
    headers: stringMap({ max: 100 }).default({}),
    query: stringMap({ max: 100 }).default({}),
    body: z.unknown().optional(),
    delivery_id: text({ max: 512 })
      .nullish()
      .meta({ description: "An earlier delivery, whose request is used instead." }),
  })
  .meta({
    id: "TestHookBody",
    example: { headers: { "X-GitHub-Event": "pull_request" }, body: { action: "opened" } },
  });

export const hookTest = z
  .object({
    matched: z.boolean().meta({ description: "Whether the hook's filter lets it start a run." }),
    event: z.string().nullable(),
    dedupe_key: z.string().nullable(),
    thread_id: z.string().nullable(),
    input_payload: z.record(z.string(), z.unknown()).nullable(),
    signal: z
      .object({ run_id: z.string(), name: z.string(), payload: z.unknown() })
      .nullable()
      .meta({ description: "What it would say to which run, of a hook that sends signals." }),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .meta({ description: "Why such a delivery would start no run now." }),
  })
  .meta({
    id: "HookTest",
    example: {
      matched: true,
      event: "pull_request",
      dedupe_key: null,
      thread_id: "pr-7",
      input_payload: { title: "Mend the gate" },
      signal: null,
      error: null,
    },
  });

/** The largest number of deliveries that one request replays. */
export const mostReplayed = 50;

/** The body of POST /v1/hooks/{hook_id}/replay: one delivery, or all of a time. */
export const replayHookBody = z
  .object({
    ...deliveryRange,
    status: choice(["failed", "accepted", "pending"])
      .default("failed")
      .meta({ description: "Which of them: by default those that could start no run." }),
  })
  .meta({ id: "ReplayHookBody", example: { since: "2026-11-23T00:00:00Z" } });

export const replayedDeliveries = z
  .object({
    data: z
      .array(hookDelivery)
      .meta({ description: "The deliveries as they are now, each with its new run or its error." }),
    has_more: z.boolean(),
    last_id: z.string().nullable(),
  })
  .meta({
    id: "ReplayedDeliveries",
    example: { data: [hookDelivery.meta()?.["example"] as never], has_more: false, last_id: null },
  });
