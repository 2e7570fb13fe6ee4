-- True after an operator stopped the daemon: a message doesn't start it again, only an operator does.
ALTER TABLE "daemons" ADD COLUMN "held" BOOLEAN NOT NULL DEFAULT false;
