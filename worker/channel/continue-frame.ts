import { z } from "zod";

/** The code's last frame: the run goes on as a fresh one, with another input and an empty journal. */
export const continueFrame = z.object({
  type: z.literal("continue"),
  input_payload: z.record(z.string(), z.unknown()),
});
export type ContinueFrame = z.infer<typeof continueFrame>;
