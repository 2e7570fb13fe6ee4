import { z } from "zod";

/** `leg`: what tells the keys of this part of the run from those before. `input_payload`: as JSON; left out: the run's own input. */
export const continuation = z.object({
  leg: z.string(),
  input_payload: z.string().optional(),
  /** How many questions were answered before, and how often the run has gone on so. */
  answers: z.number().int(),
  count: z.number().int(),
  /** The last event of the attempt that called it. All of them stand. */
  last_seq: z.number().int(),
});
export type Continuation = z.infer<typeof continuation>;
