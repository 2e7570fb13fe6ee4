-- A message to a daemon is a run of lifecycle `daemon`: what waits in the queue for an agent's daemon is its mailbox.
-- DropTable
DROP TABLE "daemon_messages";

-- DropEnum
DROP TYPE "message_status";

-- AlterTable
ALTER TABLE "daemons" DROP COLUMN "busy",
ADD COLUMN     "restart_seen" INTEGER NOT NULL DEFAULT 0;

-- By hand, as Prisma has no word for it.
CREATE INDEX "runs_mailbox" ON "runs"("agent_id", "created_at", "id") WHERE status = 'queued' AND lifecycle = 'daemon';
