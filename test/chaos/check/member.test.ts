import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startMember } from "../../../chaos/stack/member.ts";
import { waitFor } from "../../harness/wait-for.ts";

/** Starts a member that executes a program of Node, and waits until it has ended once. */
async function endingOf(program: string) {
  const directory = mkdtempSync(join(tmpdir(), "member-"));
  const logFile = join(directory, "log");
  const member = startMember({ name: "one", command: ["-e", program], env: {}, logFile, ready: /^up$/ });
  onTestFinished(async () => {
    await member.close();
    rmSync(directory, { recursive: true });
  });
  await waitFor(() => readFileSync(logFile, { encoding: "utf8", flag: "a+" }).includes("one ended"));
  return member;
}

test("a process that was ready and ended by itself is a surprise; one that could not begin is started again", async () => {
  const crashed = await endingOf('console.log("up"); setTimeout(() => process.exit(1), 200)');
  expect(crashed.surprises()).toBe(1);
  const refused = await endingOf("process.exit(1)");
  expect(refused.surprises()).toBe(0);
});
