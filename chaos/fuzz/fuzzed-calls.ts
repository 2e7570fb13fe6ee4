import type { CallAnswer } from "../../shared/schemas/gateway.ts";
import type { GatewayCalls } from "../../worker/gateway/egress.ts";

export const fuzzedSecret = "sk-real-fuzzed-0123456789";

/** Returns the calls of a run that may call one service, below `/own`. Every other call is recorded. */
export function fuzzedCalls(base_url: string): GatewayCalls {
  const connection = {
    ...({ name: "own", preset: "openai_compatible", base_url, kind: "bearer", header: null, username: null } as const),
    ...{ secret: fuzzedSecret, requests_per_minute: null, tokens_per_minute: null },
  };
  const go = { kind: "go", number: 1, output_most: null } as const;
  return {
    run: () => ({ run_id: "run_fuzzed", attempt: 1, connections: [connection], approvals: [] }),
    ask: async (call): Promise<CallAnswer> => ({ ...go, entry_key: call % 2 === 0 ? `call:${call}` : null }),
    keep: async () => true,
    leave: () => undefined,
    end: async () => true,
    lose: async () => true,
  };
}
