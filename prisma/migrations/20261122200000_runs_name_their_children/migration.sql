-- Each move of a run writes a chunk and a line of the timeline in the statement that writes the run itself. Checking that
-- the run is there cost a third of these statements. Whoever deletes a run deletes both (shared/store/runs/delete-run.ts).
ALTER TABLE "transcript_chunks" DROP CONSTRAINT "transcript_chunks_run_id_fkey";
ALTER TABLE "run_transitions" DROP CONSTRAINT "run_transitions_run_id_fkey";
