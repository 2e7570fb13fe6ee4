-- How busy the fleet was, a row a minute and pool.
CREATE TABLE "fleet_samples" (
    "at" TIMESTAMPTZ(6) NOT NULL,
    "pool" TEXT NOT NULL,
    "slots" INTEGER NOT NULL,
    "busy" INTEGER NOT NULL,
    "queued" INTEGER NOT NULL,
    "oldest_ms" DOUBLE PRECISION,

    CONSTRAINT "fleet_samples_pkey" PRIMARY KEY ("at","pool")
);
