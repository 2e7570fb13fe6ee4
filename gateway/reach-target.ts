import { connect, type Socket } from "node:net";
import { aborted } from "../shared/platform/lifecycle/run-process.ts";
import { withTimeLimit } from "../shared/platform/lifecycle/with-time-limit.ts";
import { findAddresses } from "../shared/platform/net/guarded-lookup.ts";
import { faultClassOf, TargetFault } from "../shared/platform/net/target-fault.ts";
import { egressAllows } from "../shared/domain/egress/egress-rule.ts";
import type { GatewayLimits } from "./limits.ts";
import type { Target } from "./parse-target.ts";

/** `reason` may be shown to the agent. */
export type Refusal = { status: 403 | 502; reason: string };
export type Reach = (target: Target) => Promise<Socket | Refusal>;

/** The deployment's limits of what agents may reach. An agent's config can only narrow them. */
export type DeploymentRule = { allowHosts: readonly string[]; allowCidrs: string[] };

/** How many of a name's addresses are tried. */
const mostAddresses = 4;

/**
 * Returns a function that connects one sandbox to its targets. Both the agent's config (`allow`; null for the addresses of
 * connections, which agents don't choose) and the deployment must allow the target, and all its addresses must be public or in `allowCidrs`. The connection goes to exactly the address that
 * was checked.
 */
export function createReach(rule: DeploymentRule, allow: readonly string[] | null, limits: GatewayLimits): Reach {
  const lookUp = createGate(limits.lookups);
  return async ({ host, port }) => {
    if (allow !== null && !egressAllows(allow, host, port))
      return { status: 403, reason: `The agent's config doesn't allow ${host}:${port}.${portHint(port)}` };
    if (!egressAllows(rule.allowHosts, host, port))
      return { status: 403, reason: `This deployment doesn't allow ${host}:${port} (EGRESS_ALLOW).${portHint(port)}` };
    try {
      return await withTimeLimit({ ms: limits.connectMs, signals: [] }, async (signal) => {
        const late = aborted(signal).then(() => Promise.reject(new TargetFault("timeout")));
        late.catch(() => undefined);
        const found = lookUp(() => findAddresses(host, rule.allowCidrs));
        found.catch(() => undefined);
        const addresses = await Promise.race([found, late]);
        return await openFirst(addresses.slice(0, mostAddresses), port, signal);
      });
    } catch (error) {
      const fault = faultClassOf(error);
      if (fault === "blocked") return { status: 403, reason: `${host} is at a private or reserved address.` };
      return { status: 502, reason: `${host}:${port} can't be reached (${fault}).` };
    }
  };
}

/** A host that is allowed without a port is often meant with the port that was asked for. */
const portHint = (port: number): string =>
  port === 80 || port === 443 ? "" : " An entry without a port means 80 and 443 only.";

/** Connects to the first address that answers. Throws the error of the last one. */
async function openFirst(addresses: { address: string }[], port: number, signal: AbortSignal): Promise<Socket> {
  let fault: unknown = new TargetFault("dns");
  for (const { address } of addresses) {
    if (signal.aborted) break;
    try {
      return await openSocket(address, port, signal);
    } catch (error) {
      fault = error;
    }
  }
  throw signal.aborted ? new TargetFault("timeout") : fault;
}

function openSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const giveUp = (): void => void socket.destroy(new TargetFault("timeout"));
    signal.addEventListener("abort", giveUp, { once: true });
    // This listener stays: an error without a listener would end the process.
    socket.on("error", reject);
    socket.once("connect", () => {
      signal.removeEventListener("abort", giveUp);
      resolve(socket);
    });
  });
}

type Gate = <T>(act: () => Promise<T>) => Promise<T>;

/** Runs at most `most` acts at once; the others wait in order. */
function createGate(most: number): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (act) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
