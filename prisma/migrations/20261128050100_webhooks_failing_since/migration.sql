ALTER TABLE "webhooks" ADD COLUMN "failing_since" TIMESTAMPTZ(6);
