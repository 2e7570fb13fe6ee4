-- A worker that leaves gives its builds back: they count no attempt that ended its worker.
ALTER TABLE "builds" ADD COLUMN "given_back" INTEGER NOT NULL DEFAULT 0;
