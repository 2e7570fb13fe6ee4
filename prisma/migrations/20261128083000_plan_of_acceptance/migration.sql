-- A run is priced by the plan under which it was accepted. Null: it is priced by its owner's plan of the booking.
ALTER TABLE "runs" ADD COLUMN "plan_id" TEXT;
ALTER TABLE "usage_records" ADD COLUMN "plan_id" TEXT;
