import { expect, test } from "vitest";
import { call } from "../harness/client.ts";
import { makeKey } from "../harness/make-key.ts";
import { openConsole, operator } from "./open-page.ts";
import { useConsole } from "./use-console.ts";

const { stack, url, key, ada, browser } = await useConsole();

test("a list of which only a part was searched says so, and is searched on", async () => {
  await stack.sql.query(`
    INSERT INTO audit_log (id, actor, action, target_type, target_id, created_at)
    SELECT 'audit-' || n, 'ada', CASE WHEN n = 10100 THEN 'delete_agent' ELSE 'update_agent' END, 'agent', 'agent-' || n,
      now() - n * interval '1 s'
    FROM generate_series(1, 10100) n`);
  const { page, open } = await openConsole(browser, { url, key: await makeKey(stack, "root", operator) });
  await open("/fleet/audit");
  await page.getByLabel("action").fill("delete_agent");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByRole("heading", { name: "No match so far" }).waitFor();
  expect(await page.getByText("No act matches").count()).toBe(0);
  await page.getByRole("button", { name: "Look further" }).click();
  await page.getByText("agent-10100").waitFor();
});

test("a list that is longer than a page says how much of it is shown, and goes on", async () => {
  await stack.sql.query(
    "INSERT INTO threads (id, user_id, created_at) SELECT 'many-' || n, 'ada', now() - n * interval '1 day' FROM generate_series(1, 130) n",
  );
  const { page, open } = await openConsole(browser, { url, key });
  await open("/threads");
  await page.getByText("These are the first 100.").waitFor();
  expect(await page.getByRole("link", { name: "many-130" }).count()).toBe(0);
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByRole("link", { name: "many-130" }).waitFor();
  await page.getByText("These are the first").waitFor({ state: "detached" });
});

test("all that a webhook gave up is sent again, however much it is, and the number is told", async () => {
  const { body } = await call(url, "POST", "/v1/webhooks", { url: "http://127.0.0.1:9/all", events: ["*"] }, ada);
  const { page, open } = await openConsole(browser, { url, key });
  const after: unknown[] = [];
  await page.route("**/redeliver", (route) => {
    after.push(route.request().postDataJSON().after);
    const [redelivered, has_more] = after.length === 1 ? [1_000, true] : [7, false];
    return route.fulfill({ status: 202, json: { object: "redelivery", redelivered, has_more, last_id: "msg_1" } });
  });
  await open(`/webhooks/${String(body["id"])}`);
  await page.getByRole("button", { name: "Send again what was given up" }).click();
  await page.getByText("1,007 deliveries are sent again.").waitFor();
  expect(after).toEqual([null, "msg_1"]);
});

test("an operator's inbox has the operator's notifications alone; where nobody signs in, each says whose it is", async () => {
  const root = { authorization: `Bearer ${await makeKey(stack, "root", operator)}` };
  const tell = (title: string, headers: { authorization: string }) =>
    call(url, "POST", "/v1/notifications", { type: "news", level: "info", title }, headers);
  await tell("For Ada", ada);
  await tell("For root", root);
  const { page, open } = await openConsole(browser, { url, key: root.authorization.slice("Bearer ".length) });
  await open("/inbox");
  await page.getByRole("heading", { name: "For root" }).waitFor();
  expect(await page.getByRole("heading", { name: "For Ada" }).count()).toBe(0);
  await page.getByRole("button", { name: "Mark 1 as read" }).waitFor();

  await page.route("**/v1/sessions/current", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), auth_mode: "open" } });
  });
  await page.reload();
  await page.getByRole("listitem").filter({ hasText: "For Ada" }).getByText("ada", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /^Mark \d+ as read$/ }).count()).toBe(0);
});
