-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "in_app" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "xact" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint;

-- CreateIndex
CREATE INDEX "notifications_user_id_xact_id_idx" ON "notifications"("user_id", "xact", "id");
