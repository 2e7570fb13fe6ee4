import type { Evidence } from "./evidence.ts";
import { groupBy } from "./group-by.ts";

/** Each run with a callback URL has one message in the outbox, which was delivered, always under one id, with the run's end. */
export function callbacksArrive({ accepted, runs, outbox, deliveries }: Evidence): string[] {
  const byRun = groupBy(deliveries, (delivery) => delivery.run_id);
  return accepted.flatMap(({ run_id, callback_url }) => {
    const owed = outbox.get(run_id) ?? [];
    if (callback_url === null) return owed.length === 0 ? [] : `${run_id}: owes a callback that nobody asked for`;
    const [message, ...more] = owed;
    if (!message || more.length > 0) return `${run_id}: owes ${owed.length} callbacks`;
    const came = byRun.get(run_id) ?? [];
    const faults = [];
    if (!came.some(({ status }) => status === 200)) faults.push(`no delivery was answered 200 (${message.status})`);
    if (came.some(({ webhook_id }) => webhook_id !== message.id)) faults.push("came under several ids");
    if (came.some(({ run_status }) => run_status !== runs.get(run_id)?.status)) faults.push("told another end");
    return faults.map((fault) => `${run_id}: ${fault}`);
  });
}
