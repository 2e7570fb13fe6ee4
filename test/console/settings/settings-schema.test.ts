import { expect, test } from "vitest";
import type { Schema } from "../../../console/form/schema.ts";
import { settingsSchema } from "../../../console/settings/settings-schema.ts";
import { agentConfig } from "../../../shared/schemas/agent-config.ts";

/** What the service asks for beside another setting. */
const needed: Record<string, object> = { retry: { max_attempts: 2 } };

const groups = Object.entries(settingsSchema.properties ?? {});
const fields = groups.flatMap(([group, schema]): [place: string, field: Schema, config: (value: number) => object][] =>
  schema.properties
    ? Object.entries(schema.properties).map(([name, field]) => [
        `${group}.${name}`,
        field,
        (value) => ({ [group]: { ...needed[group], [name]: value } }),
      ])
    : [[group, schema, (value) => ({ [group]: value })]],
);

test("the service takes the least whole number that a setting's field takes, and none that is less", () => {
  const whole = fields.filter(([, field]) => field.type === "integer");
  expect(whole.map(([place]) => place)).toContain("retry.max_attempts");
  for (const [place, { minimum = NaN }, config] of whole)
    expect([minimum, minimum - 1].map((value) => [place, value, agentConfig.safeParse(config(value)).success])).toEqual(
      [
        [place, minimum, true],
        [place, minimum - 1, false],
      ],
    );
});
