import { keepsBusy } from "../threads/busy.ts";

/** SQL on one row of `runs`: no run of its thread is ahead of it. */
export const isFirstOfThread = (run: string): string => `
  (${run}.thread_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM runs ahead WHERE ${keepsBusy(`${run}.thread_id`)}
      AND (ahead.created_at, ahead.id) < (${run}.created_at, ${run}.id)))`;

/** SQL on one row of `runs`: neither its agent nor the whole queue is paused. */
export const isNotPaused = (run: string): string => `
  NOT EXISTS (SELECT 1 FROM agents WHERE agents.id = ${run}.agent_id AND agents.status = 'paused')
    AND NOT EXISTS (SELECT 1 FROM queue_pauses WHERE name = 'runs')`;

/** SQL on one row of `runs`: the lowest of its agent's places (1 … concurrency) that no running run has; null: none is free. */
export const freeSlot = (run: string): string => `
  (SELECT min(place) FROM generate_series(1, ${run}.concurrency) AS place WHERE NOT EXISTS (
    SELECT 1 FROM runs peer WHERE peer.agent_id = ${run}.agent_id AND peer.concurrency_slot = place
      AND peer.status = 'running' AND peer.concurrency_slot IS NOT NULL))`;

/** SQL on one row of `runs`: queued, and nothing keeps a worker that offers its adapter from taking it. */
export const isClaimable = (run: string): string => `
  ${run}.status = 'queued' AND ${run}.lifecycle <> 'daemon' AND ${isFirstOfThread(run)} AND ${isNotPaused(run)}
    AND (${run}.concurrency IS NULL OR ${freeSlot(run)} IS NOT NULL)`;
