-- A new value of an enumeration can be used by the transaction after the one that added it.
CREATE INDEX "runs_suspended" ON "runs"("scheduled_at") WHERE status = 'suspended';

DROP INDEX "runs_open_of_job";
CREATE INDEX "runs_open_of_job" ON "runs"("job_id")
  WHERE job_id IS NOT NULL AND status IN ('scheduled', 'queued', 'running', 'interrupted', 'suspended');

DROP INDEX "runs_unsuccessful";
CREATE INDEX "runs_unsuccessful" ON "runs"("status", "created_at", "id")
  WHERE status IN ('scheduled', 'interrupted', 'suspended', 'error', 'timeout', 'cancelled', 'expired');
DROP INDEX "runs_unsuccessful_of_user";
CREATE INDEX "runs_unsuccessful_of_user" ON "runs"("user_id", "status", "created_at", "id")
  WHERE status IN ('scheduled', 'interrupted', 'suspended', 'error', 'timeout', 'cancelled', 'expired');
DROP INDEX "runs_unsuccessful_of_agent";
CREATE INDEX "runs_unsuccessful_of_agent" ON "runs"("agent_id", "status", "created_at", "id")
  WHERE status IN ('scheduled', 'interrupted', 'suspended', 'error', 'timeout', 'cancelled', 'expired');
