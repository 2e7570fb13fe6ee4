-- What must have come before a suspended run is woken. Waits of one number wake it together.
ALTER TABLE "run_waits" ADD COLUMN "condition" INTEGER, ADD COLUMN "most_open" INTEGER, ADD COLUMN "or_failed" BOOLEAN;
