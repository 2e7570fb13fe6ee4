import { expect, test } from "vitest";
import { z } from "zod";
import { parseRequest } from "../../../api/http/parse-request.ts";
import { ValidationFault } from "../../../shared/domain/errors/validation-fault.ts";

function faultsOf(schema: z.ZodType, body: unknown): unknown {
  try {
    return parseRequest(
      { request: { body: schema }, ignores: "nothing" },
      { params: {}, query: {}, headers: {}, body },
    );
  } catch (error) {
    if (error instanceof ValidationFault) return error.detail;
    throw error;
  }
}

test("of a body with more faults than an answer lists, the answer has the first hundred and tells how many more there are", () => {
  const many = 200_000;
  const wrong = faultsOf(
    z.array(z.string()),
    Array.from({ length: many }, () => 1),
  );
  expect(wrong).toHaveLength(101);
  const last = { type: "more_faults", loc: ["body"], msg: `${many - 100} more faults are not listed` };
  expect(wrong).toMatchObject({ 0: { type: "string_type", loc: ["body", 0] }, 100: last });
  const fields = Object.fromEntries(Array.from({ length: many }, (_, n) => [`f${n}`, 1]));
  expect(faultsOf(z.object({}), fields)).toMatchObject({
    0: { type: "extra_forbidden", loc: ["body", "f0"] },
    100: last,
  });
  expect(faultsOf(z.object({}), { a: 1 })).toHaveLength(1);
});
