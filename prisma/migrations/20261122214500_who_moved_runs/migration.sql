-- Who asked for a run's move, such as a key's id, for the run's timeline. Null: the service itself.
ALTER TABLE "run_transitions" ADD COLUMN "actor_id" TEXT;
-- A running run is cancelled by its worker, later than somebody asked for it.
ALTER TABLE "runs" ADD COLUMN "cancel_requested_by" TEXT;
