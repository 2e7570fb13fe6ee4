/** What a sealed value is bound to (its additional authenticated data): moved to another row or field, it doesn't open. */
export const runEnvField = (runId: string): string => `${runId}:env_vars`;
export const runFilesField = (runId: string): string => `${runId}:files`;
export const agentSecretField = (agentId: string, name: string): string => `${agentId}:secret:${name}`;
export const callbackSecretField = (secretId: string): string => `${secretId}:callback_secret`;
export const jobSecretsField = (jobId: string): string => `${jobId}:job_secrets`;
export const daemonEnvField = (agentId: string): string => `${agentId}:daemon_env`;
export const webhookSecretField = (secretId: string): string => `${secretId}:webhook_secret`;
