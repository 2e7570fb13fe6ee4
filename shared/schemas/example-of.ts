import type { z } from "zod";

/** The example that a schema was given by `.meta`, for the example of what holds it. */
export const exampleOf = <Schema extends z.ZodType>(schema: Schema): z.output<Schema> =>
  schema.meta()?.["example"] as z.output<Schema>;
