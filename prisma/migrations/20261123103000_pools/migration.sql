-- Workers of a pool, and the runs that only they take.
ALTER TABLE "workers" ADD COLUMN "pool" TEXT NOT NULL DEFAULT 'default';
ALTER TABLE "runs" ADD COLUMN "pool" TEXT NOT NULL DEFAULT 'default';
