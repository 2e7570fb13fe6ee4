-- How many characters were dropped from the front of a long log, so that a reader of its stream can go on where it was.
ALTER TABLE "builds" ADD COLUMN "log_dropped" INTEGER NOT NULL DEFAULT 0;
