import { type FromGateway, type GatewayOptions, toGateway, type ToGateway } from "../shared/schemas/gateway.ts";
import type { GatewayLimits } from "./limits.ts";
import { createReach } from "./reach-target.ts";
import { type ServedListener, serveListener, type Shared } from "./serve-listener.ts";

type Parts = {
  options: GatewayOptions;
  limits: GatewayLimits;
  send: (message: FromGateway) => void;
  faults: () => number;
  guard: Shared["guard"];
};

/** Returns the handler of the worker's messages and of the sockets that come with them. */
export function createMessageHandler({
  options,
  limits,
  send,
  faults,
  guard,
}: Parts): (message: unknown, socket: unknown) => void {
  const served = new Map<number, ServedListener>();
  const shared: Shared = { limits, guard, open: new Set() };
  const rule = { allowHosts: options.allow_hosts, allowCidrs: options.allow_cidrs };

  function listen({ id, allow, draining }: Extract<ToGateway, { kind: "listen" }>, socket: unknown): void {
    if (typeof socket !== "object" || socket === null) return;
    served.get(id)?.close();
    served.set(id, serveListener({ socket, draining, reach: createReach(rule, allow, limits) }, shared));
  }

  return (message, socket) => {
    const parsed = toGateway.safeParse(message);
    if (!parsed.success) return;
    const { data } = parsed;
    switch (data.kind) {
      case "listen":
        return listen(data, socket);
      case "end_run":
        return void (served.get(data.id)?.endRun() ?? Promise.resolve()).then(() =>
          send({ kind: "run_ended", id: data.id }),
        );
      case "close":
        served.get(data.id)?.close();
        return void served.delete(data.id);
      case "ping":
        return send({ kind: "pong", faults: faults() });
    }
  };
}
