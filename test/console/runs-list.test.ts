import type { Route } from "playwright-core";
import { expect, test } from "vitest";
import { call } from "../harness/client.ts";
import { makeKey } from "../harness/make-key.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openConsole } from "./open-page.ts";
import { useConsole } from "./use-console.ts";

const { stack, url, key, ada, browser, publish, start, reach } = await useConsole();

test("runs: filters survive a reload and the way back, and what matches nothing says what it was filtered by", async () => {
  const done = await start("greeter", { name: "Ada" });
  await reach(done, "success");
  const { page, open } = await openConsole(browser, { url, key });
  await open("/runs");
  const row = page.getByTitle(done);
  await row.waitFor();
  await page.getByRole("button", { name: /^error/ }).click();
  await page.getByText("No run matches").waitFor();
  await page.reload();
  await page.getByText("Filtered by status.").waitFor();
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await page.getByLabel("Search in ids").fill(done);
  await page.keyboard.press("Enter");
  await row.click();
  await page.getByRole("heading", { name: done }).waitFor();
  await page.goBack();
  await row.waitFor();
  expect(page.url()).toContain(done);
  await open(`/runs?agent_id=nobody&version=9.9.9`);
  await page.getByRole("button", { name: "Remove the filter version" }).click();
  await waitFor(() => Promise.resolve(!page.url().includes("version")));
});

test("runs are sorted by a click on a column's head, and stay so after a reload", async () => {
  await reach(await start("greeter", { name: "Eve" }), "success");
  const { page, open } = await openConsole(browser, { url, key });
  const sortedAs = (query: string) =>
    waitFor(async () => {
      const { body } = await call(url, "GET", `/v1/runs?order_by=duration_ms&${query}&limit=10`, undefined, ada);
      const wanted = (body["data"] as { id: string }[]).map(({ id }) => id);
      const titles = "[...document.querySelectorAll('[data-row] a[title]')].map((link) => link.title)";
      const shown = await page.evaluate<string[]>(titles);
      return wanted.length > 1 && wanted.every((id, at) => shown[at] === id);
    });
  await open("/runs");
  const took = page.getByRole("columnheader", { name: "Took" });
  await took.getByRole("button").click();
  await sortedAs("order=desc");
  expect(await took.getAttribute("aria-sort")).toBe("descending");
  await took.getByRole("button").click();
  await page.reload();
  await sortedAs("order=asc");
  expect(await took.getAttribute("aria-sort")).toBe("ascending");
  await open("/runs?agent_id=greeter&order_by=cost_usd");
  await page.getByText("No run here has a cost").waitFor();
  await page.getByRole("button", { name: "Show the newest runs" }).click();
  await page.getByRole("columnheader", { name: "Created" }).waitFor();
  expect(page.url()).not.toContain("order");
});

test("the list lives by its stream: what starts, asks and ends changes in place, and the list is not asked for again and again", async () => {
  const { page, context, open } = await openConsole(browser, { url, key });
  const asked: string[] = [];
  page.on("request", (request) => void (request.url().includes("/v1/runs?") && asked.push(request.url())));
  const opened = page.waitForResponse((response) => response.url().includes("/v1/runs/stream"));
  await open("/runs?agent_id=counter");
  await opened;
  await page.getByText("No run matches").or(page.getByRole("row").nth(1)).waitFor();
  const before = asked.length;
  const id = await start("counter", { n: 1, pause: 0.1 });
  const row = page.getByRole("row").filter({ has: page.getByTitle(id) });
  await row.getByText("success").waitFor();
  expect(asked.length - before).toBeLessThanOrEqual(1);
  await open("/runs?status=%5B%22interrupted%22%5D");
  await page.getByText("No run matches").or(page.getByRole("row").nth(1)).waitFor();
  const question = await start("asker", { order: "L1" });
  const asks = page.getByRole("row").filter({ has: page.getByTitle(question) });
  await asks.getByText("asks: Refund L1?").waitFor();
  await call(url, "POST", `/v1/runs/${question}/cancel`, {}, ada);
  await asks.waitFor({ state: "detached" });
  await context.setOffline(true);
  await page.getByRole("button", { name: "offline" }).waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "live", exact: true }).waitFor();
});

test("thousands of changes at once read the list anew once, not once each", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  const one = (await call(url, "GET", "/v1/runs?limit=1", undefined, ada)).body["data"] as [object];
  const changes = Array.from({ length: 3_000 }, (_, i) => ({
    ...one[0],
    // Of runs of one moment the list shows those with the greatest ids.
    id: `r${String(i).padStart(4, "0")}`,
    type: "run.changed",
    matches: true,
  }));
  const body = changes.map((change, i) => `id: ${i}\ndata: ${JSON.stringify(change)}\n\n`).join("");
  let begin = (): void => {};
  const listed = new Promise<void>((resolve) => (begin = resolve));
  const burst = (route: Route): Promise<void> =>
    listed.then(() => route.fulfill({ contentType: "text/event-stream", body }));
  await page.route("**/v1/runs/stream*", burst, { times: 1 });
  let asked = 0;
  page.on("request", (request) => void (asked += /\/v1\/runs(\/count)?\?/.test(request.url()) ? 1 : 0));
  // The page has read them all when it asks for what comes after the last one.
  const readAll = page.waitForRequest((request) => request.headers()["last-event-id"] === "2999");
  await open("/runs");
  await page.getByRole("row").nth(1).waitFor();
  asked = 0;
  const last = page.getByTitle("r2999");
  // The service knows none of these runs: they are shown until the list that is read anew comes.
  await page.route(/\/v1\/runs(\/count)?\?/, (route) => last.waitFor().then(() => route.continue()));
  begin();
  await page.getByText("live", { exact: true }).waitFor();
  await last.waitFor();
  await readAll;
  await waitFor(() => asked > 0, 20_000);
  await last.waitFor({ state: "detached" });
  expect(asked).toBeLessThan(12);
});

test("eight pages of one browser: each is answered at once, and each shows what happens", async () => {
  const { page, context } = await openConsole(browser, { url, key });
  const pages = [page];
  while (pages.length < 8) pages.push(await context.newPage());
  for (const one of pages) await one.goto(`${url}/console/runs`);
  for (const one of pages) await one.getByRole("row").nth(1).waitFor();
  // A browser has six connections to a host. One that a page keeps for its stream would be missing here.
  const fetchSession =
    "fetch('/v1/sessions/current', { headers: { 'x-runfleet-console': '1' } }).then(({ status }) => status)";
  expect(await Promise.all(pages.map((one) => one.evaluate<number>(fetchSession)))).toEqual(pages.map(() => 200));
  const id = await start("counter", { n: 1 });
  for (const one of pages) await one.getByTitle(id).waitFor();
});

test("a search that found nothing among the newest runs says so, and goes on to older ones", async () => {
  const carol = await makeKey(stack, "carol");
  await stack.sql.query(`
    WITH a AS (INSERT INTO agents (id, user_id, name, current_version) VALUES ('old', 'carol', 'old', '1.0.0')),
    v AS (INSERT INTO agent_versions (agent_id, version, config) VALUES ('old', '1.0.0', '{"source":"def main(i): return i"}'))
    INSERT INTO runs (id, user_id, agent_id, version, status, attempt, max_attempts, adapter_type, runtime_mode, lifecycle,
      timeout_ms, input_payload, history, files, request_hash, expires_at, created_at, completed_at)
    SELECT 'old-' || n, 'carol', 'old', '1.0.0', 'success', 1, 3, 'python', 'standard', 'serverless', 1000,
      CASE WHEN n = 10100 THEN '{"about":"a needle"}'::json ELSE '{}' END, '[]', '[]', '', now(), now() - n * interval '1 s', now()
    FROM generate_series(1, 10100) n`);
  const { page, open } = await openConsole(browser, { url, key: carol });
  await open("/runs?search=needle");
  await page.getByText("No match among the newest runs").waitFor();
  await page.getByRole("button", { name: "Look further" }).click();
  await page.getByTitle("old-10100").waitFor();
});

test("an address with values that it can't have shows its page, without them", async () => {
  const id = await start("greeter", { name: "Odd" });
  const { page, open, faults } = await openConsole(browser, { url, key });
  await open("/runs?last=bogus&since=bogus&status=odd&order_by=odd&peek=%5B1%5D&nothing=1");
  await page.getByTitle(id).waitFor();
  expect(await page.getByRole("list", { name: "More filters" }).count()).toBe(0);
  await open("/studio?last=constructor");
  await page.getByRole("heading", { name: "Studio" }).waitFor();
  await open("/errors?last=constructor&state=odd");
  await page.getByRole("heading", { name: "Errors" }).waitFor();
  await open("/fleet/constructor");
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  expect(await page.getByRole("tab", { name: "Overview" }).getAttribute("tabindex")).toBe("0");
  await open(`/runs/${id}?tab=odd&types=odd`);
  await page.getByRole("tab", { name: "Output", selected: true }).waitFor();
  expect(faults).toEqual([]);
});

test("by keyboard alone: a run is found in the list, opened and cancelled", async () => {
  const id = await start("counter", { n: 2000 });
  await reach(id, "running");
  const { page, open } = await openConsole(browser, { url, key });
  await open("/runs?agent_id=counter");
  await page.getByTitle(id).waitFor();
  await page.getByRole("rowgroup", { name: "Rows" }).focus();
  await page.keyboard.press("j");
  await waitFor(() => page.evaluate<boolean>(`document.activeElement?.title === "${id}"`));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: id }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).focus();
  await page.keyboard.press("Enter");
  await reach(id, "cancelled");
  await page.getByText("cancelled").first().waitFor();
});

test("by keys: the palette finds a page, an action and a run by the beginning of its id, g leads to an area, and keys can be switched off", async () => {
  const id = await start("greeter", { name: "Palette" });
  await reach(id, "success");
  const { page, open, barriers } = await openConsole(browser, { url, key });
  await open("/runs");
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await page.getByRole("heading", { name: "Agents" }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Find and do" });
  await palette.getByRole("combobox").fill(id.slice(0, 18));
  await palette.getByRole("option", { name: id }).waitFor();
  expect(await barriers()).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: id }).waitFor();
  await page.getByText("Hello Palette,").waitFor();
  await page.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("again with");
  await palette.getByRole("option", { name: "Run again with…" }).waitFor();
  await page.keyboard.press("Enter");
  await waitFor(async () => (await page.getByLabel("Your name").inputValue()) === "Palette");
  await open("/runs");
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.getByRole("region", { name: "This page" }).getByText("Search in ids").waitFor();
  expect(await barriers()).toEqual([]);
  await help.getByLabel("Single keys act").uncheck();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("/");
  expect(await page.evaluate("document.activeElement?.type")).not.toBe("search");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a page" }).waitFor();
});

test("by keys: a run is looked at beside the list, the list is read on, and the address keeps what is looked at", async () => {
  const ids = [await start("twice"), await start("asker", { order: "P1" })];
  await Promise.all([reach(ids[0] ?? "", "success"), reach(ids[1] ?? "", "interrupted")]);
  const { page, open, barriers } = await openConsole(browser, { url, key });
  await open("/runs");
  for (const id of ids) await page.getByTitle(id).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Space");
  const asks = page.getByRole("complementary", { name: `Run ${ids[1]}` });
  await asks.getByRole("heading", { name: "Refund P1?" }).waitFor();
  await page.keyboard.press("j");
  const twice = page.getByRole("complementary", { name: `Run ${ids[0]}` });
  await twice.getByText("what stands").waitFor();
  expect(await asks.count()).toBe(0);
  expect(await barriers()).toEqual([]);
  await page.reload();
  await twice.getByText("what stands").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Escape");
  await twice.waitFor({ state: "detached" });
  expect(page.url()).not.toContain("peek");
});

test("by keys: a key that is held acts once, and what is typed into the filter by agent is no key", async () => {
  const id = await start("greeter", { name: "Held" });
  await reach(id, "success");
  const { page, open } = await openConsole(browser, { url, key });
  let replays = 0;
  page.on("request", (request) => void (replays += request.url().endsWith("/replay") ? 1 : 0));
  await open(`/runs/${id}`);
  await page.getByRole("button", { name: "Run again" }).waitFor();
  await page.keyboard.down("r");
  await page.getByText("again of").waitFor();
  // Pressed again without having been let go: the browser repeats it.
  await page.keyboard.down("r");
  await page.keyboard.down("r");
  await page.keyboard.up("r");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  expect(replays).toBe(1);
  for (const bot of ["bot", "bot-l"]) await publish(bot, "def main():\n    return 1\n");
  await open("/runs");
  await page.locator("option[value=bot]").waitFor({ state: "attached" });
  await page.getByLabel("Filter by agent").pressSequentially("bot-l");
  await page.keyboard.press("Enter");
  await page.waitForURL(/agent_id=bot-l$/);
  expect(await page.getByText("stands still").count()).toBe(0);
});

test("many runs are cancelled only after their number was typed, and that many are", async () => {
  const ids = await Promise.all([start("counter", { n: 2000 }), start("counter", { n: 2000 })]);
  await Promise.all(ids.map((id) => reach(id, "running")));
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs?agent_id=counter&status=%5B%22running%22%5D`);
  for (const id of ids) await page.getByLabel(`Select ${id}`).check();
  await page.getByRole("button", { name: "Cancel…" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel runs" });
  const button = dialog.getByRole("button", { name: "Cancel 2 runs" });
  await button.waitFor();
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByRole("textbox").fill("2");
  await button.click();
  await dialog.getByText("2 of 2").waitFor();
  await Promise.all(ids.map((id) => reach(id, "cancelled")));
});
