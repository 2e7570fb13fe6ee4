import { isBuilt } from "../../builds/is-building.ts";
import { perRow, raw, type Sql, sql } from "../../sql.ts";
import { isFirstOfThread } from "../../threads/thread-order.ts";
import { runIs } from "../run-is.ts";

/** SQL on one row of `runs`: neither its agent nor the whole queue is paused, and its version is not being built. */
export const isNotPaused = (run: string): Sql => sql`
  NOT EXISTS (SELECT 1 FROM agents WHERE agents.id = ${raw(run)}.agent_id AND agents.status = 'paused' ${perRow})
    AND NOT EXISTS (SELECT 1 FROM queue_pauses WHERE name = 'runs') AND ${isBuilt(run)}`;

/**
 * SQL on one row with the `agent_id` and `concurrency` of a run: of the slots (1 … concurrency) of its agent that no running
 * run has, the lowest one after the `passed` lowest ones; null: there is none.
 */
export const freeSlot = (run: string, passed: Sql = sql`0`): Sql => sql`
  (SELECT slot FROM generate_series(1, ${raw(run)}.concurrency) AS slot WHERE NOT EXISTS (
    SELECT 1 FROM runs peer WHERE peer.agent_id = ${raw(run)}.agent_id AND peer.concurrency_slot = slot
      AND ${runIs.running("peer")} AND peer.concurrency_slot IS NOT NULL) ORDER BY slot OFFSET ${passed} LIMIT 1)`;

/** The same of the slots (1 … key_concurrency) of its concurrency key. */
export const freeKeySlot = (run: string, passed: Sql = sql`0`): Sql => sql`
  (SELECT slot FROM generate_series(1, ${raw(run)}.key_concurrency) AS slot WHERE NOT EXISTS (
    SELECT 1 FROM runs peer WHERE peer.agent_id = ${raw(run)}.agent_id
      AND peer.concurrency_key = ${raw(run)}.concurrency_key AND peer.key_slot = slot
      AND ${runIs.running("peer")} AND peer.key_slot IS NOT NULL) ORDER BY slot OFFSET ${passed} LIMIT 1)`;

/**
 * SQL on one row of `runs`: queued, and nothing keeps a worker of its pool that offers its adapter from taking it. The claim itself
 * (claim-run.ts) has the same conditions written out, since it takes a slot in the same statement and says which of them failed.
 */
export const isClaimable = (run: string): Sql => sql`
  ${runIs.queued(run)} AND ${raw(run)}.lifecycle <> 'daemon' AND ${isFirstOfThread(run)} AND ${isNotPaused(run)}
    AND (${raw(run)}.concurrency IS NULL OR ${freeSlot(run)} IS NOT NULL)
    AND (${raw(run)}.concurrency_key IS NULL OR ${freeKeySlot(run)} IS NOT NULL)`;
