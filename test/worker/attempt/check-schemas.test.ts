import { expect, test } from "vitest";
import { createJsonSchemas } from "../../../shared/platform/json-schema/json-schemas.ts";
import type { Attempt } from "../../../worker/attempt/attempt.ts";
import { emptyResult } from "../../../worker/attempt/attempt-result.ts";
import { checkSchemas } from "../../../worker/attempt/check-schemas.ts";

test("a run whose result finds its owner's checks crowded is judged by the result, and not by the crowd", async () => {
  const schemas = createJsonSchemas();
  const output_schema = { properties: { output: { pattern: "^b$" } } };
  const attempt = { user_id: "ada", config: { output_schema } } as unknown as Attempt;
  const leaving = new AbortController();
  const judge = (result_content: string, signal = new AbortController().signal) =>
    checkSchemas({ ...emptyResult(), result: { type: "result", result_content } }, attempt, schemas, signal);
  // One is under way, and as many wait as may.
  const ask = () => schemas.faultsOf("ada", output_schema, {});
  // The start of a thread takes long on a busy machine.
  await ask();
  const others = Array.from({ length: 65 }, ask);
  const refused = ask();
  const unsettled = judge("b", leaving.signal);
  leaving.abort();
  const [good, bad] = await Promise.all([judge("b"), judge("c")]);
  expect(await refused).toEqual({ unchecked: expect.stringContaining("waiting already"), mayPass: true });
  // A worker that leaves waits for nothing.
  expect(await unsettled).toMatchObject({ message: expect.stringContaining("could not be checked") });
  expect(good).toBeNull();
  expect(bad).toMatchObject({ code: "output_schema", message: expect.stringContaining("breaks the agent's") });
  await Promise.all(others);
  await schemas.close();
});
