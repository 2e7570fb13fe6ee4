import { z } from "zod";
import { agentConfig } from "./agent-config.ts";

/** The file `runfleet.json` beside an agent's code, which the command line reads. */
const projectFile = z
  .object({
    $schema: z.string().optional(),
    agent: z.string().optional().meta({ description: "The agent's id." }),
    name: z.string().optional().meta({ description: "What lists show. Left out: the id." }),
    entrypoint: agentConfig.shape.entrypoint,
    config: agentConfig.optional().meta({ description: "The agent's config. What the code says is not said again." }),
    ignore: z
      .array(z.string())
      .optional()
      .meta({ description: "What of the folder is no code, beside .gitignore and .runfleetignore." }),
    profiles: z
      .record(z.string(), z.object({ url: z.string().optional() }))
      .optional()
      .meta({
        description:
          "Services to publish to, chosen by --profile. Your own profiles come first. Keys are kept by `runfleet login`.",
      }),
  })
  .meta({ title: "runfleet.json" });

/**
 * Returns the JSON Schema of runfleet.json for editors. Keys that aren't known are faults, as they are for `runfleet check`; a
 * value's own form (a JSON Schema, variables) is free.
 */
export function projectFileSchema(): object {
  return z.toJSONSchema(projectFile, {
    io: "input",
    // What editors read best.
    target: "draft-7",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === "object") jsonSchema.additionalProperties = false;
    },
  });
}
