import { z } from "zod";

/** The options with which a gateway is started. It knows nothing else of its deployment. */
export const gatewayOptions = z.object({
  log_level: z.string(),
  /** Host patterns and address ranges in the form of EGRESS_ALLOW and EGRESS_ALLOW_CIDRS. */
  allow_hosts: z.array(z.string()),
  allow_cidrs: z.array(z.string()),
});
export type GatewayOptions = z.infer<typeof gatewayOptions>;

const listener = { id: z.number().int() };

/**
 * Messages of a worker to its gateway. `listen` comes with the listening socket of a sandbox; `draining`: until `end_run` is
 * answered, new connections belong to a run that has ended. `end_run` closes the connections of an ended run, including those in
 * the backlog. `close`: the sandbox has ended.
 */
export const toGateway = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("listen"), ...listener, allow: z.array(z.string()), draining: z.boolean() }),
  z.object({ kind: z.literal("end_run"), ...listener }),
  z.object({ kind: z.literal("close"), ...listener }),
  z.object({ kind: z.literal("ping") }),
]);
export type ToGateway = z.infer<typeof toGateway>;

/** Answers of a gateway. `run_ended`: no connection of the ended run is left. `faults`: the number of uncaught errors. */
export const fromGateway = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run_ended"), ...listener }),
  z.object({ kind: z.literal("pong"), faults: z.number().int() }),
]);
export type FromGateway = z.infer<typeof fromGateway>;
