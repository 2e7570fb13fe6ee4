-- Where a LangGraph graph goes on when its run starts again: the newest checkpoint of each of its namespaces, with its pending writes.
CREATE TABLE "run_checkpoints" (
  "run_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "number" BIGSERIAL NOT NULL,
  "namespace" TEXT NOT NULL,
  "checkpoint_id" TEXT NOT NULL,
  "sealed_content" BYTEA NOT NULL,
  CONSTRAINT "run_checkpoints_pkey" PRIMARY KEY ("run_id", "id")
);
