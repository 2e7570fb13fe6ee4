/** Additional authenticated data of sealed values: a value that was moved to another row or field can't be opened. */
export const sealedFields = {
  runEnv: (runId: string): string => `${runId}:env_vars`,
  /** A run that is sent to the worker that it was granted to. */
  grantedRun: (runId: string): string => `${runId}:granted`,
  runFiles: (runId: string): string => `${runId}:files`,
  agentSecret: (agentId: string, name: string): string => `${agentId}:secret:${name}`,
  ownerSecret: (secretId: string): string => `${secretId}:secret`,
  connectionSecret: (connectionId: string): string => `${connectionId}:connection_secret`,
  callbackSecret: (secretId: string): string => `${secretId}:callback_secret`,
  jobSecrets: (jobId: string): string => `${jobId}:job_secrets`,
  daemonEnv: (agentId: string): string => `${agentId}:daemon_env`,
  /** The stored answer to a request with an Idempotency-Key. */
  answer: (userId: string, route: string, key: string): string => `${userId}:${route}:${key}`,
  /** The secrets of a hook, now and before the last rotation: a rotation moves one to the other's column. */
  hookSecret: (hookId: string): string => `${hookId}:hook_secret`,
  hookRequest: (deliveryId: string): string => `${deliveryId}:hook_request`,
  /** `key`: the entry's in its table. */
  journalEntry: (runId: string, key: string): string => `${runId}:journal:${key}`,
  runCheckpoint: (runId: string, id: string): string => `${runId}:checkpoint:${id}`,
  runInput: (runId: string, id: string): string => `${runId}:input:${id}`,
  webhookSecret: (secretId: string): string => `${secretId}:webhook_secret`,
};
