import { z } from "zod";
import { connectionKinds, connectionPresets } from "../domain/connection/presets.ts";
import { approvalRule } from "./agent-config.ts";

/** The options with which a gateway is started. It knows nothing else of its deployment. */
export const gatewayOptions = z.object({
  log_level: z.string(),
  /** Host patterns and address ranges in the form of EGRESS_ALLOW and EGRESS_ALLOW_CIDRS. */
  allow_hosts: z.array(z.string()),
  allow_cidrs: z.array(z.string()),
});
export type GatewayOptions = z.infer<typeof gatewayOptions>;

/** A connection as the gateway gets it, with its secret in clear. It goes through the worker's channel only. */
export const openConnection = z.object({
  name: z.string(),
  preset: z.enum(connectionPresets).nullable(),
  base_url: z.string(),
  kind: z.enum(connectionKinds),
  header: z.string().nullable(),
  username: z.string().nullable(),
  secret: z.string(),
  requests_per_minute: z.number().int().nullable(),
  tokens_per_minute: z.number().int().nullable(),
});
export type OpenConnection = z.infer<typeof openConnection>;

/** Whose calls a sandbox's are, from now on. */
export const gatewayRun = z.object({
  run_id: z.string(),
  attempt: z.number().int(),
  connections: z.array(openConnection),
  /** The calls that a person is asked about. */
  approvals: z.array(approvalRule),
});
export type GatewayRun = z.infer<typeof gatewayRun>;

/** A certificate for a host of a connection, and its key, as PEM. */
export const hostCertificate = z.object({ host: z.string(), cert: z.string(), key: z.string() });
export type HostCertificate = z.infer<typeof hostCertificate>;

/** A run with the certificates under which the gateway ends the TLS of its connections' hosts. */
export const servedRun = gatewayRun.extend({ certificates: z.array(hostCertificate) });
export type ServedRun = z.infer<typeof servedRun>;

const count = z.number().int().nonnegative();

/** What makes a call the same as one of an earlier attempt. `request`: what it asks, where that is kept. */
export const callRecord = z.object({ key: z.string(), request: z.string().nullable() });
export type CallRecord = z.infer<typeof callRecord>;

/** An answer as it is kept. `headers`: name, value, name, value. `body`: in base64. */
export const recordedAnswer = z.object({ status: z.number().int(), headers: z.array(z.string()), body: z.string() });
export type RecordedAnswer = z.infer<typeof recordedAnswer>;

/** What a gateway asks its worker before a call leaves. */
export const callAsked = z.object({
  connection: z.string(),
  method: z.string(),
  host: z.string(),
  /** Without its query. */
  path: z.string(),
  model: z.string().nullable(),
  /** Models that may answer in its place. */
  other_models: z.array(z.string()),
  /** True when its answer tells what it cost. */
  is_metered: z.boolean(),
  /** True when it may cost something that its answer doesn't tell. */
  is_spending: z.boolean(),
  /** The most tokens that the request may have. */
  input_most: count,
  /** The most tokens of each of its answers; null: the request doesn't say. */
  output_most: count.nullable(),
  choices: count,
  /** Null: a call that isn't recorded. */
  record: callRecord.nullable(),
  /** What a person is shown who is asked before it leaves; null: nobody is asked. */
  approval: z.object({ url: z.string(), shown: z.string(), bytes: count }).nullable(),
});
export type CallAsked = z.infer<typeof callAsked>;

/**
 * `go`: the call may leave. `number`: in its attempt. `output_most`: how long each answer may be at most; null: as the request
 * says. `entry_key`: of the entry that its answer becomes before the client has the whole of it; null: the answer isn't kept.
 * `recorded`: an earlier attempt has had this answer.
 */
export const callAnswer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("go"),
    number: count,
    output_most: count.nullable(),
    entry_key: z.string().nullable(),
  }),
  z.object({ kind: z.literal("recorded"), answer: recordedAnswer }),
  z.object({ kind: z.literal("refused"), status: z.number().int(), code: z.string(), reason: z.string() }),
]);
export type CallAnswer = z.infer<typeof callAnswer>;

/** What became of a call that left. */
export const callEnded = z.object({
  /** Null: the service didn't answer. */
  status: z.number().int().nullable(),
  request_bytes: count,
  response_bytes: count,
  model: z.string().nullable(),
  usage: z.object({ input: count, cached: count, cache_write: count, output: count }).nullable(),
  /** Of a stream. */
  pieces: count,
  is_whole: z.boolean(),
  /** The client has the answer. */
  is_delivered: z.boolean(),
  /** Nobody knows: its gateway has ended. */
  is_lost: z.boolean(),
  /** What the client was answered of a recorded call that has failed, so that another try may succeed. */
  failed: recordedAnswer.nullable(),
});
export type CallEnded = z.infer<typeof callEnded>;

const listener = { id: z.number().int() };

/**
 * Messages of a worker to its gateway. `listen` comes with the listening socket of a sandbox; `draining`: until `end_run` is
 * answered, new connections belong to a run that has ended. `begin_run` says whose calls the sandbox's are from now on; null:
 * nobody's. Calls of another run are cut. `end_run` closes the connections of an ended run, including those in
 * the backlog. `close`: the sandbox has ended. `call_written`: what became of a call is in the store.
 */
export const toGateway = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("listen"), ...listener, allow: z.array(z.string()), draining: z.boolean() }),
  z.object({ kind: z.literal("begin_run"), ...listener, run: servedRun.nullable() }),
  z.object({ kind: z.literal("end_run"), ...listener }),
  z.object({ kind: z.literal("close"), ...listener }),
  z.object({ kind: z.literal("call_answered"), call: count, answer: callAnswer }),
  z.object({ kind: z.literal("call_kept"), call: count, is_kept: z.boolean() }),
  z.object({ kind: z.literal("call_written"), call: count }),
  z.object({ kind: z.literal("ping") }),
]);
export type ToGateway = z.infer<typeof toGateway>;

/** Messages of a gateway. `call` numbers its calls. `run_ended`: no connection of the ended run is left. `faults`: the number of uncaught errors. */
export const fromGateway = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run_ended"), ...listener }),
  z.object({
    kind: z.literal("call_asked"),
    ...listener,
    call: count,
    run_id: z.string(),
    attempt: z.number().int(),
    asked: callAsked,
  }),
  z.object({ kind: z.literal("call_finished"), call: count, answer: recordedAnswer }),
  z.object({ kind: z.literal("call_left"), call: count }),
  z.object({ kind: z.literal("call_ended"), call: count, ended: callEnded }),
  z.object({ kind: z.literal("pong"), faults: z.number().int() }),
]);
export type FromGateway = z.infer<typeof fromGateway>;

/** A call that had no end in the store when its worker died. `key`: of the entry that its answer becomes; null: none. */
export const leftCall = z.object({
  call: count,
  run_id: z.string(),
  attempt: z.number().int(),
  number: count,
  key: z.string().nullable(),
  asked: callAsked,
});
export type LeftCall = z.infer<typeof leftCall>;

/** Messages of a gateway whose worker has died, one line of JSON each. `left` comes first, `answer`: to be kept. */
export const toKeeper = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("left"), calls: z.array(leftCall) }),
  z.object({
    kind: z.literal("ended"),
    call: count,
    duration_ms: count,
    ended: callEnded,
    answer: recordedAnswer.nullable(),
  }),
]);
export type ToKeeper = z.infer<typeof toKeeper>;
