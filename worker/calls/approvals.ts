import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { CallAnswer, CallAsked } from "../../shared/schemas/gateway.ts";

/** What a person decides about calls before they leave. */
export type Approvals = {
  /** Returns what was decided about a call; null: nobody has been asked yet. */
  verdictOf(call_key: string): "approved" | CallAnswer | null;
  /**
   * Puts the run aside for a person's answer. `isQuiet`: whether no call of the attempt is under way. One call is asked about at a time: the
   * others are when the run has come to them again.
   */
  ask(call_key: string, asked: CallAsked, isQuiet: () => boolean): Promise<void>;
};

export type CallQuestion = {
  call_key: string;
  reason: string;
  message: string;
  response_schema: Record<string, unknown>;
  expires_in_ms: null;
};

type Options = {
  /** What people have answered, by the calls' keys. */
  answers: ReadonlyMap<string, unknown>;
  /** Asks, and ends the attempt's process. */
  putAside: (question: CallQuestion) => void;
};

/** Calls that the attempt makes meanwhile may end: after so long without any, or after so long at most. */
const quietMs = 300;
const mostMs = 60_000;
const lookEveryMs = 50;

const response_schema = {
  type: "object",
  required: ["approved"],
  properties: {
    approved: { type: "boolean", title: "Let this call go?" },
    reason: { type: "string", maxLength: 2_000, title: "Reason" },
  },
};

const answer = z.object({ approved: z.boolean(), reason: z.string().max(2_000).optional() });

export function openApprovals({ answers, putAside }: Options): Approvals {
  let isAsking = false;
  return {
    verdictOf(call_key) {
      if (!answers.has(call_key)) return null;
      const { approved, reason } = answer.catch({ approved: false }).parse(answers.get(call_key));
      return approved ? "approved" : denied(reason);
    },
    async ask(call_key, asked, isQuiet) {
      if (isAsking) return;
      isAsking = true;
      const until = performance.now() + mostMs;
      for (let quiet = 0; quiet < quietMs && performance.now() < until;) {
        await sleep(lookEveryMs);
        quiet = isQuiet() ? quiet + lookEveryMs : 0;
      }
      const question = { reason: "approval_required", message: messageOf(asked), response_schema, expires_in_ms: null };
      putAside({ call_key, ...question });
    },
  };
}

const denied = (reason: string | undefined): CallAnswer => ({
  kind: "refused",
  status: 403,
  code: "approval_denied",
  reason: `A person has refused this call${reason ? `: ${reason}` : "."}`,
});

function messageOf({ method, connection, approval }: CallAsked): string {
  const { url = "", shown = "", bytes = 0 } = approval ?? {};
  const size = bytes > 0 ? `, ${bytes} bytes` : "";
  return [`${method} ${url}`, `Connection '${connection}'${size}`, ...(shown === "" ? [] : [shown])].join("\n");
}
