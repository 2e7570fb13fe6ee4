/** SQL on `runs`: which ones keep a thread busy. One that waits for a person doesn't. */
export const busy = "status IN ('scheduled', 'queued', 'running')";
