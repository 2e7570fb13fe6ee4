import { z } from "zod";

/** What a gateway is started with: the only thing that it knows of its deployment. */
export const gatewayOptions = z.object({
  log_level: z.string(),
  /** Host patterns and address ranges, as EGRESS_ALLOW and EGRESS_ALLOW_CIDRS have them. */
  allow_hosts: z.array(z.string()),
  allow_cidrs: z.array(z.string()),
});
export type GatewayOptions = z.infer<typeof gatewayOptions>;

const listener = { id: z.number().int() };

/**
 * What a worker tells its gateway. `listen` comes with the listening socket of one sandbox; `draining`: what connects belongs
 * to a run that has ended, until `end_run` is answered. `end_run` closes the connections of a run that has ended, those that
 * wait in the backlog too. `close`: the sandbox is gone.
 */
export const toGateway = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("listen"), ...listener, allow: z.array(z.string()), draining: z.boolean() }),
  z.object({ kind: z.literal("end_run"), ...listener }),
  z.object({ kind: z.literal("close"), ...listener }),
  z.object({ kind: z.literal("ping") }),
]);
export type ToGateway = z.infer<typeof toGateway>;

/** What a gateway answers. `run_ended`: no connection of the ended run is left. `faults`: errors that nothing had caught. */
export const fromGateway = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run_ended"), ...listener }),
  z.object({ kind: z.literal("pong"), faults: z.number().int() }),
]);
export type FromGateway = z.infer<typeof fromGateway>;
