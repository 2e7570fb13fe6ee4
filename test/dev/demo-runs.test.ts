import { expect, test } from "vitest";
import { leaveRuns } from "../../dev/demo-runs.ts";

/** Returns the paths to which the demo posts, where it finds these schedules. */
async function postedWith(schedules: unknown[]): Promise<string[]> {
  const posted: string[] = [];
  await leaveRuns(
    (path) => Promise.resolve(void posted.push(path)),
    () => Promise.resolve({ data: schedules }),
  );
  return posted;
}

test("a demo that is started again, on whichever day, adds no second schedule", async () => {
  expect((await postedWith([])).filter((path) => path === "/v1/jobs")).toHaveLength(1);
  expect(await postedWith([{ name: "Each workday" }])).not.toContain("/v1/jobs");
});
