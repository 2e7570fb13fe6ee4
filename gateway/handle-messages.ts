import {
  type FromGateway,
  type GatewayOptions,
  toGateway,
  type ToGateway,
  type ToKeeper,
} from "../shared/schemas/gateway.ts";
import { openWorkerClient } from "./worker-client.ts";
import { bodyLimits, type GatewayLimits } from "./limits.ts";
import { createReach } from "./reach-target.ts";
import { createBufferLimits } from "./buffer-limits.ts";
import { createTimeSlices } from "./share-event-loop.ts";
import { type ServedListener, serveListener, type ListenerResources } from "./serve-listener.ts";

type Parts = {
  options: GatewayOptions;
  limits: GatewayLimits;
  send: (message: FromGateway) => void;
  faults: () => number;
  guard: ListenerResources["guard"];
};

export type MessageHandler = {
  /** Takes a message of the worker's, and the socket that comes with it. */
  take(message: unknown, socket: unknown): void;
  /** The worker has died: ends everything but the calls whose answers are read to their ends. Returns how many have left. */
  outlive(tell: (message: ToKeeper) => void): number;
};

export function createMessageHandler({ options, limits, send, faults, guard }: Parts): MessageHandler {
  const served = new Map<number, ServedListener>();
  const desk = openWorkerClient(send);
  const { requestsOfOne, requestsInAll, answersOfOne, answersInAll, always } = bodyLimits;
  const shares = {
    requests: createBufferLimits({ ofOne: requestsOfOne, inAll: requestsInAll, always }),
    answers: createBufferLimits({ ofOne: answersOfOne, inAll: answersInAll, always }),
    turns: createTimeSlices(),
  };
  const shared: ListenerResources = { limits, guard, open: new Set(), desk, ...shares };
  const rule = { allowHosts: options.allow_hosts, allowCidrs: options.allow_cidrs };

  function listen({ id, allow, draining }: Extract<ToGateway, { kind: "listen" }>, socket: unknown): void {
    if (typeof socket !== "object" || socket === null) return;
    served.get(id)?.close();
    const reach = createReach(rule, allow, limits);
    served.set(
      id,
      serveListener(
        {
          id,
          socket,
          draining,
          reach,
          reachService: createReach(rule, null, limits),
          isForConnections: allow.length === 0,
        },
        shared,
      ),
    );
  }

  async function endRun(id: number): Promise<void> {
    await served.get(id)?.endRun();
    send({ kind: "run_ended", id });
  }

  function act(data: ToGateway, socket: unknown): void {
    switch (data.kind) {
      case "listen":
        return listen(data, socket);
      case "begin_run":
        return served.get(data.id)?.beginRun(data.run);
      case "end_run":
        return void endRun(data.id);
      case "close":
        served.get(data.id)?.close();
        return void served.delete(data.id);
      case "call_answered":
      case "call_kept":
      case "call_written":
        return desk.hear(data);
      case "ping":
        return send({ kind: "pong", faults: faults() });
    }
  }

  return {
    take(message, socket) {
      const parsed = toGateway.safeParse(message);
      if (parsed.success) act(parsed.data, socket);
    },
    outlive(tell) {
      const left = desk.handOver(tell);
      for (const listener of served.values()) listener.close();
      served.clear();
      return left;
    },
  };
}
