import { builtMembers, openChaosStack } from "../../stack/open-stack.ts";
import type { Verdict } from "../run-attack.ts";
import { openCalledService } from "./called-service.ts";
import { exhaustions } from "./exhaust.ts";
import { borrowings, forgeries } from "./forge.ts";
import { connect, type GatewayAttack, type Ground } from "./ground.ts";
import { overspendings } from "./overspend.ts";

export const gatewayAttacks: readonly GatewayAttack[] = [...forgeries, ...borrowings, ...overspendings, ...exhaustions];

/** Executes one attack, and returns which promises it broke. */
export async function playGatewayAttack(ground: Ground, { name, class: found, act }: GatewayAttack): Promise<Verdict> {
  await connect(ground, "mallory", "openai");
  const startedAt = performance.now();
  const faults = await act(ground).catch((error: unknown) => [String(error)]);
  const summary = `${Math.round(performance.now() - startedAt)} ms`;
  return { name, class: found, kind: "gateway", level: "a worker's own", faults, isOnlySlow: false, summary };
}

/** Plays the attacks whose name has `only` against a stack of its own. */
export async function attackGateway(
  only: string | null,
  signal: AbortSignal,
  onVerdict: (verdict: Verdict) => void,
): Promise<void> {
  const service = await openCalledService("sk-of-the-service-0123456789");
  const env = { EGRESS_ALLOW: `127.0.0.1:${service.port}`, EGRESS_ALLOW_CIDRS: "127.0.0.0/8" };
  try {
    const stack = await openChaosStack(1, builtMembers, env);
    try {
      for (const attack of gatewayAttacks.filter(({ name }) => only === null || `${name} gateway`.includes(only))) {
        signal.throwIfAborted();
        onVerdict(await playGatewayAttack({ url: stack.apiUrls[0], service }, attack));
      }
    } finally {
      await stack.close(false);
    }
  } finally {
    service.close();
  }
}
