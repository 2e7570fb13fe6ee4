import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectCopy } from "./project-copy.ts";

test("the client is generated offline, and again only when the schema changed", { timeout: 60_000 }, () => {
  const folder = projectCopy();
  const generate = () =>
    execFileSync(process.execPath, ["prisma/generate.mjs"], { cwd: folder, encoding: "utf8", stdio: "pipe" });

  expect(generate()).toContain("Generated Prisma Client");
  expect(readFileSync(join(folder, "shared/store/generated/client.ts"), "utf8")).toContain("PrismaClient");
  expect(generate()).toBe("");

  appendFileSync(join(folder, "prisma/schema.prisma"), "\nmodel Extra {\n  id String @id\n}\n");
  expect(generate()).toContain("Generated Prisma Client");
  expect(readFileSync(join(folder, "shared/store/generated/client.ts"), "utf8")).toContain("Extra");
});
