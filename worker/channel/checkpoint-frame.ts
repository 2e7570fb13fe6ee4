import { z } from "zod";
import { checkpointLimits } from "../../shared/domain/run/checkpoint-limits.ts";

const namespace = z.string().max(1_000);

/**
 * A checkpoint of a LangGraph graph, or writes of its tasks that belong to one. Nobody answers it. Later checkpoints of a namespace
 * have greater ids.
 */
export const checkpointFrame = z.object({
  type: z.literal("checkpoint"),
  namespace,
  // It becomes a column by itself.
  checkpoint_id: z
    .string()
    .min(1)
    .max(128)
    .refine((id) => !id.includes("\0"), "must hold no zeros"),
  /** What nobody but the runtimes reads. */
  content: z.string().max(checkpointLimits.content_bytes),
  /** The earlier checkpoints of its namespace are not needed any more. */
  supersedes: z.boolean(),
  /** Other namespaces that are not needed any more. */
  drops: z.array(namespace).max(1_000),
});
export type CheckpointFrame = z.infer<typeof checkpointFrame>;
