/** What a sealed value is bound to (its additional authenticated data): moved to another row or field, it doesn't open. */
export const sealedFields = {
  runEnv: (runId: string): string => `${runId}:env_vars`,
  runFiles: (runId: string): string => `${runId}:files`,
  agentSecret: (agentId: string, name: string): string => `${agentId}:secret:${name}`,
  callbackSecret: (secretId: string): string => `${secretId}:callback_secret`,
  jobSecrets: (jobId: string): string => `${jobId}:job_secrets`,
  daemonEnv: (agentId: string): string => `${agentId}:daemon_env`,
  /** Of a request that others with the same key repeat. */
  answer: (userId: string, route: string, key: string): string => `${userId}:${route}:${key}`,
  webhookSecret: (secretId: string): string => `${secretId}:webhook_secret`,
};
