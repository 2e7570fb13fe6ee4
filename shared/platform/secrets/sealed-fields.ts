/** Additional authenticated data of sealed values: a value that was moved to another row or field can't be opened. */
export const sealedFields = {
  runEnv: (runId: string): string => `${runId}:env_vars`,
  runFiles: (runId: string): string => `${runId}:files`,
  agentSecret: (agentId: string, name: string): string => `${agentId}:secret:${name}`,
  callbackSecret: (secretId: string): string => `${secretId}:callback_secret`,
  jobSecrets: (jobId: string): string => `${jobId}:job_secrets`,
  daemonEnv: (agentId: string): string => `${agentId}:daemon_env`,
  /** The stored answer to a request with an Idempotency-Key. */
  answer: (userId: string, route: string, key: string): string => `${userId}:${route}:${key}`,
  webhookSecret: (secretId: string): string => `${secretId}:webhook_secret`,
};
