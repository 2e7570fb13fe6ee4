import type { Amount } from "../../shared/domain/price/amount.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import {
  readSharedRoom,
  readTreeBudgets,
  reserveShared,
  type SharedBudget,
} from "../../shared/store/calls/shared-budgets.ts";
import type { Db } from "../../shared/store/client.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";

/** What the budgets have left that a run shares with others. */
export type SharedBudgets = {
  /** False: it shares none. */
  isBounded: boolean;
  /** `isHeld`: calls of other runs may give something back. */
  free(): Promise<Amount & { isHeld: boolean }>;
  /** Reserves what a call may cost, in all of them. Returns false when others were first. */
  take(call: number, amount: Amount): Promise<boolean>;
};

type Sharing = {
  id: string;
  attempt: number;
  agent_id: string;
  thread_id: string | null;
  parent_run_id: string | null;
  config: AgentConfig;
};

export async function openSharedBudgets(db: Db, run: Sharing): Promise<SharedBudgets> {
  const { id: run_id, attempt } = run;
  const budgets = await budgetsOf(db, run);
  return {
    isBounded: budgets.length > 0,
    async free() {
      if (budgets.length === 0) return { tokens: Infinity, micro_usd: Infinity, isHeld: false };
      const rooms = await untilPostgresAnswers(() => readSharedRoom(db, run_id, budgets));
      return {
        tokens: Math.min(...rooms.map(({ tokens }) => tokens)),
        micro_usd: Math.min(...rooms.map(({ micro_usd }) => micro_usd)),
        isHeld: rooms.some(({ is_held }) => is_held),
      };
    },
    async take(call, amount) {
      if (budgets.length === 0 || amount.tokens === 0) return true;
      return untilPostgresAnswers(() => reserveShared(db, { run_id, attempt, call }, budgets, amount));
    },
  };
}

async function budgetsOf(db: Db, run: Sharing): Promise<SharedBudget[]> {
  const { id, agent_id, thread_id, parent_run_id, config } = run;
  const { tree, thread, agent_day } = config.budget ?? {};
  // Those of the runs that it is started by count, too.
  const trees =
    parent_run_id === null ? capped("tree", id, tree) : await untilPostgresAnswers(() => readTreeBudgets(db, id));
  return [
    ...trees,
    ...(thread_id === null ? [] : capped("thread", thread_id, thread)),
    ...capped("agent_day", agent_id, agent_day),
  ];
}

type Cap = { usd?: number | undefined; tokens?: number | undefined };

function capped(kind: SharedBudget["kind"], subject: string, cap: Cap | undefined): SharedBudget[] {
  if (cap?.usd === undefined && cap?.tokens === undefined) return [];
  return [{ kind, subject, tokens: cap.tokens ?? Infinity, micro_usd: (cap.usd ?? Infinity) * 1_000_000 }];
}
