import { expect, test } from "vitest";
import { untilPostgresAnswers } from "../../../shared/store/until-postgres-answers.ts";

test("a statement is repeated while Postgres is away, and what no time mends is thrown at once", async () => {
  const faults = [new Error("Connection terminated unexpectedly"), Object.assign(new Error(), { code: "57P01" })];
  expect(
    await untilPostgresAnswers(() => (faults.length > 0 ? Promise.reject(faults.shift()) : Promise.resolve("so"))),
  ).toBe("so");
  const sealed = () => Promise.reject(new Error("a sealed value names a key that the ring doesn't hold"));
  await expect(untilPostgresAnswers(sealed)).rejects.toThrow("names a key");
});
