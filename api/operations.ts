import { drainWorker } from "./admin/drain-worker.ts";
import { getAdminOverview } from "./admin/get-admin-overview.ts";
import { getCosts } from "./admin/get-costs.ts";
import { killRun } from "./admin/kill-run.ts";
import { killWorker } from "./admin/kill-worker.ts";
import { listAllAgents } from "./admin/list-all-agents.ts";
import { listAllDaemons } from "./admin/list-all-daemons.ts";
import { listAllRuns } from "./admin/list-all-runs.ts";
import { listAllUsers } from "./admin/list-all-users.ts";
import { listDeadLetters } from "./admin/list-dead-letters.ts";
import { listQueues } from "./admin/list-queues.ts";
import { pauseQueue } from "./admin/pause-queue.ts";
import { resumeQueue } from "./admin/resume-queue.ts";
import { getFleet } from "./admin/get-fleet.ts";
import { listAudit } from "./admin/list-audit.ts";
import { createAgent } from "./agents/create-agent.ts";
import { deleteAgentSecret } from "./agents/delete-agent-secret.ts";
import { deleteAgent } from "./agents/delete-agent.ts";
import { getAgentStats } from "./agents/get-agent-stats.ts";
import { getAgent } from "./agents/get-agent.ts";
import { listAgentRuns } from "./agents/list-agent-runs.ts";
import { listAgentSecrets } from "./agents/list-agent-secrets.ts";
import { listAgents } from "./agents/list-agents.ts";
import { pauseAgent } from "./agents/pause-agent.ts";
import { putAgentSecret } from "./agents/put-agent-secret.ts";
import { resumeAgent } from "./agents/resume-agent.ts";
import { updateAgent } from "./agents/update-agent.ts";
import { cancelSubscription } from "./billing/cancel-subscription.ts";
import { createCheckout } from "./billing/create-checkout.ts";
import { createPortal } from "./billing/create-portal.ts";
import { createSubscription } from "./billing/create-subscription.ts";
import { createTransaction } from "./billing/create-transaction.ts";
import { getSubscription } from "./billing/get-subscription.ts";
import { getWallet } from "./billing/get-wallet.ts";
import { listInvoices } from "./billing/list-invoices.ts";
import { listPayments } from "./billing/list-payments.ts";
import { listPlans } from "./billing/list-plans.ts";
import { listSubscriptions } from "./billing/list-subscriptions.ts";
import { listTransactions } from "./billing/list-transactions.ts";
import { listUsage } from "./billing/list-usage.ts";
import { putPlan } from "./billing/put-plan.ts";
import { putSpendLimit } from "./billing/put-spend-limit.ts";
import { receiveWebhookEvent } from "./billing/receive-webhook-event.ts";
import { resumeSubscription } from "./billing/resume-subscription.ts";
import type { ApiContext } from "./context.ts";
import { bulkCancelRuns } from "./execute/bulk-cancel-runs.ts";
import { bulkReplayRuns } from "./execute/bulk-replay-runs.ts";
import { controlDaemon } from "./daemons/control-daemon.ts";
import { createDaemon } from "./daemons/create-daemon.ts";
import { getDaemonStatus } from "./daemons/get-daemon-status.ts";
import { listDaemonLogs } from "./daemons/list-daemon-logs.ts";
import { listDaemons } from "./daemons/list-daemons.ts";
import { postDaemonMessage } from "./daemons/post-daemon-message.ts";
import { startDaemon } from "./daemons/start-daemon.ts";
import { stopDaemon } from "./daemons/stop-daemon.ts";
import { streamDaemon } from "./daemons/stream-daemon.ts";
import { executeAgent } from "./execute/execute-agent.ts";
import { executeBatch } from "./execute/execute-batch.ts";
import { getBulkOperation } from "./execute/get-bulk-operation.ts";
import { listAdapters } from "./execute/list-adapters.ts";
import { replayRun } from "./execute/replay-run.ts";
import { validateRequest } from "./execute/validate-request.ts";
import type { Operation } from "./http/define-operation.ts";
import { listNotifications } from "./notifications/list-notifications.ts";
import { createNotification } from "./notifications/create-notification.ts";
import { countUnread } from "./notifications/count-unread.ts";
import { markRead } from "./notifications/mark-read.ts";
import { markAllRead } from "./notifications/mark-all-read.ts";
import { streamNotifications } from "./notifications/stream-notifications.ts";
import { getPreferences } from "./notifications/get-preferences.ts";
import { putPreferences } from "./notifications/put-preferences.ts";
import { getNotification } from "./notifications/get-notification.ts";
import { updateNotification } from "./notifications/update-notification.ts";
import { deleteNotification } from "./notifications/delete-notification.ts";
import { listInternalJobs } from "./internal/list-internal-jobs.ts";
import { runInternalJob } from "./internal/run-internal-job.ts";
import { cancelJob } from "./jobs/cancel-job.ts";
import { createJob } from "./jobs/create-job.ts";
import { deleteJob } from "./jobs/delete-job.ts";
import { getJob } from "./jobs/get-job.ts";
import { listJobRuns } from "./jobs/list-job-runs.ts";
import { listJobTicks } from "./jobs/list-job-ticks.ts";
import { listJobs } from "./jobs/list-jobs.ts";
import { pauseJob } from "./jobs/pause-job.ts";
import { resumeJob } from "./jobs/resume-job.ts";
import { triggerJob } from "./jobs/trigger-job.ts";
import { updateJob } from "./jobs/update-job.ts";
import { cancelRun } from "./runs/cancel-run.ts";
import { completeRun } from "./runs/complete-run.ts";
import { getRunArtifact } from "./runs/get-run-artifact.ts";
import { deleteRun } from "./runs/delete-run.ts";
import { getRun } from "./runs/get-run.ts";
import { listRunArtifacts } from "./runs/list-run-artifacts.ts";
import { listRunCallbacks } from "./runs/list-run-callbacks.ts";
import { listRunEvents } from "./runs/list-run-events.ts";
import { listRunLogs } from "./runs/list-run-logs.ts";
import { listRunTimeline } from "./runs/list-run-timeline.ts";
import { listRuns } from "./runs/list-runs.ts";
import { redeliverRunCallback } from "./runs/redeliver-run-callback.ts";
import { reportProgress } from "./runs/report-progress.ts";
import { resumeRun } from "./runs/resume-run.ts";
import { streamRun } from "./runs/stream-run.ts";
import { exportRuns } from "./studio/export-runs.ts";
import { getAgentErrors } from "./studio/get-agent-errors.ts";
import { getLatencyDistribution } from "./studio/get-latency-distribution.ts";
import { getSessionDepth } from "./studio/get-session-depth.ts";
import { getStudioAgentStats } from "./studio/get-studio-agent-stats.ts";
import { getStudioOverview } from "./studio/get-studio-overview.ts";
import { getTokenDistribution } from "./studio/get-token-distribution.ts";
import { listStudioAgentRuns } from "./studio/list-studio-agent-runs.ts";
import { listStudioAgents } from "./studio/list-studio-agents.ts";
import { listUsageLog } from "./studio/list-usage-log.ts";
import { getHealth, getLive, getReady } from "./system/health.ts";
import { getMetrics } from "./system/metrics.ts";
import { createThread } from "./threads/create-thread.ts";
import { deleteThread } from "./threads/delete-thread.ts";
import { forkThread } from "./threads/fork-thread.ts";
import { getThread } from "./threads/get-thread.ts";
import { getThreadState } from "./threads/get-thread-state.ts";
import { listThreadHistory } from "./threads/list-thread-history.ts";
import { listThreadMessages } from "./threads/list-thread-messages.ts";
import { listThreadRuns } from "./threads/list-thread-runs.ts";
import { listThreads } from "./threads/list-threads.ts";
import { setThreadState } from "./threads/set-thread-state.ts";
import { updateThread } from "./threads/update-thread.ts";
import { createApiKey } from "./users/create-api-key.ts";
import { createUser } from "./users/create-user.ts";
import { deleteUser } from "./users/delete-user.ts";
import { getMe } from "./users/get-me.ts";
import { getMyLimits } from "./users/get-my-limits.ts";
import { getMyUsage } from "./users/get-my-usage.ts";
import { getUser } from "./users/get-user.ts";
import { listApiKeys } from "./users/list-api-keys.ts";
import { listUsers } from "./users/list-users.ts";
import { revokeApiKey } from "./users/revoke-api-key.ts";
import { rollbackAgent } from "./versions/rollback-agent.ts";
import { upgradeAgent } from "./versions/upgrade-agent.ts";
import { rotateSigningSecret } from "./users/rotate-signing-secret.ts";
import { updateMe } from "./users/update-me.ts";
import { updateUser } from "./users/update-user.ts";
import { archiveVersion } from "./versions/archive-version.ts";
import { createVersion } from "./versions/create-version.ts";
import { deleteTag } from "./versions/delete-tag.ts";
import { diffVersions } from "./versions/diff-versions.ts";
import { getVersion } from "./versions/get-version.ts";
import { listVersions } from "./versions/list-versions.ts";
import { putTag } from "./versions/put-tag.ts";
import { updateVersion } from "./versions/update-version.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { getWebhook } from "./webhooks/get-webhook.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { listDeliveries } from "./webhooks/list-deliveries.ts";
import { testWebhook } from "./webhooks/test-webhook.ts";
import { redeliverDelivery } from "./webhooks/redeliver-delivery.ts";
import { rotateSecret } from "./webhooks/rotate-secret.ts";

/** Every operation of the service: the router, the OpenAPI document and the tests take it from here. */
export const operations: readonly Operation<ApiContext>[] = [
  executeAgent,
  executeBatch,
  validateRequest,
  listAdapters,
  createAgent,
  listAgents,
  getAgent,
  updateAgent,
  deleteAgent,
  listAgentRuns,
  getAgentStats,
  pauseAgent,
  resumeAgent,
  listAgentSecrets,
  putAgentSecret,
  deleteAgentSecret,
  listVersions,
  createVersion,
  getVersion,
  updateVersion,
  archiveVersion,
  diffVersions,
  putTag,
  deleteTag,
  listRuns,
  getRun,
  deleteRun,
  streamRun,
  listRunEvents,
  listRunLogs,
  listRunTimeline,
  listRunCallbacks,
  redeliverRunCallback,
  listRunArtifacts,
  getRunArtifact,
  reportProgress,
  resumeRun,
  completeRun,
  cancelRun,
  replayRun,
  bulkCancelRuns,
  bulkReplayRuns,
  getBulkOperation,
  createThread,
  listThreads,
  getThread,
  updateThread,
  deleteThread,
  listThreadRuns,
  listThreadMessages,
  getThreadState,
  setThreadState,
  listThreadHistory,
  forkThread,
  createJob,
  listJobs,
  getJob,
  updateJob,
  deleteJob,
  cancelJob,
  pauseJob,
  resumeJob,
  triggerJob,
  listJobRuns,
  listJobTicks,
  createUser,
  listUsers,
  getMe,
  updateMe,
  getUser,
  updateUser,
  deleteUser,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  getMyUsage,
  getMyLimits,
  upgradeAgent,
  rollbackAgent,
  controlDaemon,
  getDaemonStatus,
  startDaemon,
  stopDaemon,
  listDaemonLogs,
  streamDaemon,
  postDaemonMessage,
  listDaemons,
  createDaemon,
  rotateSigningSecret,
  listNotifications,
  createNotification,
  countUnread,
  markRead,
  markAllRead,
  streamNotifications,
  getPreferences,
  putPreferences,
  getNotification,
  updateNotification,
  deleteNotification,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  listDeliveries,
  testWebhook,
  redeliverDelivery,
  rotateSecret,
  getStudioOverview,
  listStudioAgents,
  getStudioAgentStats,
  listStudioAgentRuns,
  getAgentErrors,
  listUsageLog,
  getLatencyDistribution,
  getTokenDistribution,
  getSessionDepth,
  exportRuns,
  getAdminOverview,
  receiveWebhookEvent,
  getWallet,
  listPlans,
  putPlan,
  listSubscriptions,
  createSubscription,
  getSubscription,
  cancelSubscription,
  resumeSubscription,
  listTransactions,
  createTransaction,
  listPayments,
  listInvoices,
  listUsage,
  putSpendLimit,
  createCheckout,
  createPortal,
  getFleet,
  drainWorker,
  killWorker,
  listQueues,
  pauseQueue,
  resumeQueue,
  listDeadLetters,
  listAllUsers,
  listAllAgents,
  listAllRuns,
  killRun,
  listAllDaemons,
  getCosts,
  listAudit,
  listInternalJobs,
  runInternalJob,
  getHealth,
  getLive,
  getReady,
  getMetrics,
];
