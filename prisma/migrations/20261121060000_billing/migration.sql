-- Whom an event tells of, so that events of a customer whom nobody knows yet are found when the link arrives; which
-- plans are prepaid and what they cost by time; what of a payment is in the wallet; usage that waits for its booking.
-- AlterTable
ALTER TABLE "plans" ADD COLUMN     "prepaid" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "second_micro_usd" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "spend_limits" ADD COLUMN     "period_started_at" TIMESTAMPTZ(6),
ADD COLUMN     "spent_micro_usd" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "payments" ADD COLUMN     "wallet_micro_usd" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "billing_events" ADD COLUMN     "customer_id" TEXT,
ADD COLUMN     "user_id" TEXT;

-- AlterTable
ALTER TABLE "usage_records" ADD COLUMN     "booked_at" TIMESTAMPTZ(6);

-- CreateIndex
CREATE INDEX "billing_events_customer_id_idx" ON "billing_events"("customer_id");

-- CreateIndex
CREATE INDEX "billing_events_user_id_idx" ON "billing_events"("user_id");

-- By hand, as Prisma has no word for it.
CREATE INDEX "usage_records_unbooked" ON "usage_records"("user_id", "created_at") WHERE booked_at IS NULL;
