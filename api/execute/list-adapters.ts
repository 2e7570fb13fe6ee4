import { z } from "zod";
import { adapterTypes } from "../../shared/domain/run/run-modes.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

const adapters = z
  .object({
    data: z.array(
      z.object({
        adapter_type: z.enum(adapterTypes),
        available: z.boolean().meta({ description: "True when a live worker offers the adapter." }),
      }),
    ),
  })
  .meta({
    id: "Adapters",
    example: {
      data: [
        { adapter_type: "python", available: true },
        { adapter_type: "container", available: false },
      ],
    },
  });

export const listAdapters = defineOperation({
  method: "get",
  path: "/v1/adapters",
  name: "list_adapters",
  area: "Execute",
  scope: "runs:read",
  summary: "The adapter types, and which of them are available",
  description: "Use it to learn whether a live worker offers the adapter that an agent needs, before runs are refused.",
  responses: { 200: { description: "All adapter types", schema: adapters } },
  async handle({ fleet }: Pick<ApiContext, "fleet">) {
    const offered = await fleet.adapters();
    const data = adapterTypes.map((adapter_type) => ({ adapter_type, available: offered.has(adapter_type) }));
    return { status: 200, body: { data } };
  },
});
