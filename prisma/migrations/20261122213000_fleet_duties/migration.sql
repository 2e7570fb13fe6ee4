-- When a periodic duty of the whole fleet was last taken by some worker.
CREATE TABLE "fleet_duties" (
    "name" TEXT NOT NULL,
    "taken_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "fleet_duties_pkey" PRIMARY KEY ("name")
);
