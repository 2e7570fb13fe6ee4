/**
 * SQL on `runs`: those that keep a thread busy. One that waits for a person doesn't. Each half is the predicate of a partial
 * index, so that a long thread costs no more than a short one.
 */
export const keepsBusy = (thread: string): string =>
  `((thread_id = ${thread} AND status IN ('scheduled', 'queued')) OR (thread_id = ${thread} AND status = 'running'))`;
