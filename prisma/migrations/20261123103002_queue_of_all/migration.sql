-- runs_queued_of_pool is read in its place.
DROP INDEX CONCURRENTLY "runs_queued";
