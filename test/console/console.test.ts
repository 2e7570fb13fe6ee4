import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page, Request, Response, Route } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { call } from "../harness/client.ts";
import { makeKey } from "../harness/make-key.ts";
import { py } from "../harness/py.ts";
import { openReceiver } from "../harness/receiver.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openConsole, operator } from "./open-page.ts";
import { useConsole } from "./use-console.ts";

const { stack, env, service, url, key, ada, browser, publish, start, statusOf, reach } = await useConsole();

/** The text of the run's output as it is shown. */
const shownText = (page: Page): Promise<string> => page.getByRole("tabpanel").innerText();

/** Comes back to the page until it has asked anew for something: it does so for what is older than two seconds. */
async function comeBack(page: Page, path: string): Promise<void> {
  let isAnswered = false;
  const note = (response: Response): void => void (isAnswered ||= new URL(response.url()).pathname === path);
  page.on("response", note);
  await waitFor(async () => {
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    return isAnswered;
  });
  page.off("response", note);
}

test("a key signs in once: no script can read it or its cookie, a reload stays signed in, and signing out ends the session", async () => {
  const { page, context, open, faults } = await openConsole(browser, { url });
  await open("/runs?status=%5B%22error%22%5D");
  await page.getByLabel("API key").fill("rf_wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").getByText("unknown, revoked or expired").waitFor();
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Runs" }).waitFor();

  expect(page.url()).toContain("status=");
  const readable = await page.evaluate<string>(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])",
  );
  expect(readable).not.toContain(key.slice(-20));
  expect(readable).not.toContain("runfleet_session");
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(await page.evaluate("[...document.fonts].filter(({ status }) => status === 'error').length")).toBe(0);
  await page.reload();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const ended = await fetch(`${url}/v1/runs`, {
    headers: { cookie: `${cookie?.name}=${cookie?.value}`, "sec-fetch-site": "same-origin" },
  });
  expect(ended.status).toBe(401);
  expect(faults.filter((text) => !text.includes("401"))).toEqual([]);
});

test("a code of a program signs in, and leaves the address", async () => {
  const { body } = await call(url, "POST", "/v1/sessions/codes", undefined, ada);
  const { page, open } = await openConsole(browser, { url });
  await open(`/sign-in#code=${String(body["code"])}`);
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  expect(page.url()).not.toContain("code");
});

test("the command line opens the console signed in, and is let in by it: the key that it keeps was in no address", async () => {
  const home = mkdtempSync("/var/tmp/runfleet-login-");
  onTestFinished(() => rmSync(home, { recursive: true }));
  const opened = join(home, "opened");
  const opener = join(home, "browser");
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
  const settings = { PATH: process.env["PATH"], HOME: home, BROWSER: opener, RUNFLEET_URL: url };
  const cli = join(import.meta.dirname, "../../dist/cli/main.js");
  const run = (args: string[], more: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [cli, ...args], { env: { ...settings, ...more } });
  const address = async (): Promise<string> => {
    await waitFor(() => Promise.resolve(existsSync(opened) && readFileSync(opened, "utf8") !== ""), 30_000);
    const text = readFileSync(opened, "utf8");
    rmSync(opened);
    return text;
  };
  const id = await start("greeter", { name: "Cli" });
  await run(["open", id], { RUNFLEET_API_KEY: key });
  const { page } = await openConsole(browser, { url });
  await page.goto(await address());
  await page.getByRole("heading", { name: id }).waitFor();
  expect(page.url()).not.toContain("code");

  // A terminal: only there does login ask the browser.
  const terminal = spawn("python3", ["-c", "import pty,sys; pty.spawn(sys.argv[1:])", process.execPath, cli, "login"], {
    env: settings,
  });
  // It may have ended before the page says so.
  const closed = once(terminal, "close");
  await page.goto(await address());
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Signed in. Go on in the terminal.").waitFor();
  const [code] = await closed;
  expect(code).toBe(0);
  const { profiles } = JSON.parse(readFileSync(join(home, ".config/runfleet/config.json"), "utf8"));
  expect(profiles.default.api_key).toMatch(/^rf_/);
  expect(profiles.default.api_key).not.toBe(key);
  expect(page.url()).not.toContain(profiles.default.api_key);
  expect((await run(["whoami"])).stdout).toBe(`ada at ${url}\n`);
});

test("a page of another origin can neither read nor act by the session, though the browser sends it the cookie", async () => {
  const id = await start("counter", { n: 2000 });
  await reach(id, "running");
  const { context } = await openConsole(browser, { url, key });
  const page = await context.newPage();
  // For cookies a port makes no other site.
  const foreign = "http://127.0.0.1:9/";
  const form = `<form method="post" action="${url}/v1/runs/${id}/cancel"><button>Win</button></form>`;
  await page.route(foreign, (route) => route.fulfill({ contentType: "text/html", body: form }));
  await page.goto(foreign);
  const sent: Request[] = [];
  page.on("request", (request) => void (request.url().startsWith(url) && sent.push(request)));
  const act = `fetch("${url}/v1/runs/${id}/cancel", { method: "POST", mode: "no-cors", credentials: "include" })`;
  await page.evaluate(`${act}.then(() => null, () => null)`);
  const read = `fetch("${url}/v1/runs", { credentials: "include" })`;
  expect(await page.evaluate(`${read}.then(() => "read", () => "refused")`)).toBe("refused");
  await page.getByRole("button", { name: "Win" }).click();
  await page.getByText(/cross_site_request|session_not_counted/).waitFor();
  const cookies = await Promise.all(sent.map(async (request) => (await request.allHeaders())["cookie"]));
  expect(cookies.filter((cookie) => cookie?.includes("runfleet_session")).length).toBeGreaterThan(0);
  expect(await statusOf(id)).toBe("running");
  await call(url, "POST", `/v1/runs/${id}/cancel`, undefined, ada);
});

test("a session whose key is revoked ends at once, and is begun again on the same page", async () => {
  const lost = await makeKey(stack, "ada");
  const { page, open } = await openConsole(browser, { url, key: lost });
  await open("/agents/greeter/settings");
  await page.getByRole("heading", { name: "Secrets" }).waitFor();
  const revoked = `/v1/users/me/api-keys/key_${lost.split("_")[1] ?? ""}`;
  expect((await call(url, "DELETE", revoked, undefined, ada)).status).toBe(204);
  await page.getByLabel("Name").fill("TOKEN");
  await page.getByLabel("Value").fill("secret");
  await page.getByRole("button", { name: "Set" }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.getByLabel("API key").fill(key);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await page.getByLabel("Name").inputValue()).toBe("TOKEN");
  await page.getByRole("button", { name: "Set" }).click();
  await page.getByRole("cell", { name: "TOKEN", exact: true }).waitFor();
});

test("who signs in over another user's page gets a page of their own", async () => {
  const lost = await makeKey(stack, "ada");
  const { page, open } = await openConsole(browser, { url, key: lost });
  await open("/agents");
  await page.getByRole("link", { name: "greeter" }).first().waitFor();
  const revoked = `/v1/users/me/api-keys/key_${lost.split("_")[1] ?? ""}`;
  expect((await call(url, "DELETE", revoked, undefined, ada)).status).toBe(204);
  await page.getByLabel("Search agents").fill("left behind");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.getByLabel("API key").fill(await makeKey(stack, "erin"));
  const reloaded = page.waitForEvent("load");
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await reloaded;
  await page.getByText("erin", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "No agent matches" }).waitFor();
});

test("a shared run: its link shows it to everybody, and nothing else, until the link is revoked", async () => {
  await publish(
    "sharer",
    py`
      def main(context):
          context.artifact("report.txt", "forty-two")
          yield "for all to see"
          context.interrupt("Refund S1?")
    `,
  );
  const id = await start("sharer");
  const other = await start("greeter", { name: "Mine" });
  await reach(id, "interrupted");
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${id}`);
  await page.getByRole("button", { name: "Share…" }).click();
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = await page.getByRole("dialog", { name: "The run's link" }).locator("code").innerText();
  const visitor = await openConsole(browser, { url });
  const asked: Request[] = [];
  visitor.page.on("request", (request) => void asked.push(request));
  await visitor.page.goto(link);
  await visitor.page.getByText("for all to see").waitFor();
  expect(await visitor.barriers()).toEqual([]);
  await visitor.page.getByRole("tab", { name: /Artifacts/ }).click();
  const loaded = visitor.page.waitForEvent("download");
  await visitor.page.getByRole("button", { name: "report.txt" }).click();
  expect(readFileSync(await (await loaded).path(), "utf8")).toBe("forty-two");
  // The part behind the # stays: a reload shows the same.
  await visitor.page.reload();
  await visitor.page.getByRole("button", { name: "report.txt" }).waitFor();
  const token = link.split("#token=")[1] ?? "";
  expect(asked.filter((request) => request.url().includes(token))).toEqual([]);
  const bearer = { authorization: `Bearer ${token}` };
  const refused: [method: string, path: string, status: number][] = [
    ["GET", `/v1/runs/${other}`, 404],
    ["GET", "/v1/runs", 403],
    ["GET", `/v1/runs/${id}/callbacks`, 403],
    ["POST", `/v1/runs/${id}/replay`, 403],
    ["POST", `/v1/runs/${id}/cancel`, 403],
  ];
  for (const [method, path, status] of refused)
    expect([path, (await call(url, method, path, undefined, bearer)).status]).toEqual([path, status]);

  // Who is signed in is nobody here, too: only the link counts. The question is shown, not answered.
  await page.goto(link);
  await page.getByRole("complementary", { name: "Now" }).getByText("Refund S1?").waitFor();
  expect(await page.getByRole("button", { name: /Answer|Cancel|Run again/ }).count()).toBe(0);
  await open(`/runs/${id}`);
  await page.getByRole("button", { name: "Share…" }).click();
  await page.getByText(/last opened/).waitFor();
  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke" }).waitFor({ state: "detached" });
  await visitor.page.reload();
  await visitor.page.getByRole("heading", { name: "This link shows nothing" }).waitFor();
});

test("over http to another machine files are saved, too: the page reads them with what makes its cookie count", async () => {
  await publish("filer", 'def main(context):\n    context.artifact("report.txt", "forty-two")\n');
  const id = await start("filer");
  await reach(id, "success");
  const { page, context, open } = await openConsole(browser, { url, key });
  await context.addInitScript("Object.defineProperty(globalThis, 'isSecureContext', { value: false })");
  const save = async (name: string, path: string): Promise<string> => {
    const asked = page.waitForRequest((request) => request.url().includes(path));
    const loaded = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    expect((await (await asked).allHeaders())["x-runfleet-console"]).toBe("1");
    return readFileSync(await (await loaded).path(), "utf8");
  };
  await open(`/runs/${id}?tab=artifacts`);
  expect(await save("report.txt", "/artifacts/")).toBe("forty-two");
  await open("/studio");
  expect(await save("CSV", "/v1/studio/export")).toContain(id);
});

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
    id: `r${i}`,
    type: "run.changed",
    matches: true,
  }));
  const body = changes.map((change, i) => `id: ${i}\ndata: ${JSON.stringify(change)}\n\n`).join("");
  await page.route("**/v1/runs/stream*", (route) => route.fulfill({ contentType: "text/event-stream", body }), {
    times: 1,
  });
  let asked = 0;
  page.on("request", (request) => void (asked += /\/v1\/runs(\/count)?\?/.test(request.url()) ? 1 : 0));
  await open("/runs");
  await page.getByText("live", { exact: true }).waitFor();
  await page.getByTitle("r2999").waitFor();
  await page.getByTitle("r2999").waitFor({ state: "detached" });
  expect(asked).toBeLessThan(12);
});

test("eight pages of one browser: each is answered at once, and each shows what happens", async () => {
  const { page, context } = await openConsole(browser, { url, key });
  const pages = [page];
  while (pages.length < 8) pages.push(await context.newPage());
  for (const one of pages) await one.goto(`${url}/console/runs`);
  for (const one of pages) await one.getByRole("row").nth(1).waitFor();
  const took = await Promise.all(
    pages.map((one) =>
      one.evaluate<number>(
        "(async () => { const began = performance.now(); await fetch('/v1/sessions/current', { headers: { 'x-runfleet-console': '1' } }); return performance.now() - began; })()",
      ),
    ),
  );
  expect(Math.max(...took)).toBeLessThan(1_000);
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

test("a run: attempts, tools and what is void are told apart", async () => {
  const id = await start("twice");
  await reach(id, "success");
  const { page, open } = await openConsole(browser, { url, key });
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/v1/runs/*/stream*", (route) => held.then(() => route.continue()));
  await open(`/runs/${id}`);
  // Until its stream is read nobody knows what the run has said.
  await page.getByText("Loading the output").waitFor();
  release();
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText("attempt 2").waitFor();
  expect(await timeline.locator("[data-kind=void]").innerText()).toContain("void: retry");
  expect(await timeline.locator("[data-kind=tool]").count()).toBe(2);
  await page.getByText("Attempt 1, void: 16 characters").waitFor();
  expect(await page.getByText("a void beginning").isVisible()).toBe(false);
  expect(await page.getByText("what stands").isVisible()).toBe(true);
  await page.getByRole("tab", { name: /Events/ }).click();
  await page.getByRole("button", { name: "Only tool.start" }).click();
  expect(await page.getByRole("list", { name: "Events" }).getByRole("listitem").count()).toBe(2);
  await page.reload();
  await page.getByRole("checkbox", { name: "tool.start" }).waitFor();
  expect(await page.getByRole("checkbox", { name: "tool.start" }).isChecked()).toBe(true);
  expect(await page.getByRole("checkbox", { name: "run.queued" }).isChecked()).toBe(false);
});

test("the output: of much text and of many values the end is shown, with how much stands before it, and void values are JSON", async () => {
  await publish(
    "wordy",
    py`
      def main(context):
          if context.attempt == 1:
              yield {"half": 1}
              yield [{"type": "text", "text": "blocks"}]
              raise RuntimeError("not yet")
          yield [{"type": "text", "text": "the beginning"}]
          for _ in range(30):
              yield "x" * 10_000
          yield "the end"
          for i in range(250):
              yield {"n": i}
    `,
    { retry: { max_attempts: 2, delay_ms: 1 } },
  );
  const id = await start("wordy");
  await reach(id, "success");
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${id}`);
  await page.getByText("The first 50 values are not shown").waitFor();
  expect(await page.getByRole("group", { name: "output" }).count()).toBe(200);
  const hidden = "the beginning".length + 300_000 + "the end".length - 256 * 1024;
  await page.getByText(`The first ${hidden.toLocaleString("en")} characters are not shown.`).waitFor();
  const shown = await shownText(page);
  expect(shown).toContain("xthe end");
  expect(shown).not.toContain("the beginning");
  await page.getByText(`Attempt 1, void: ${'{"half":1}\n'.length + "blocks".length} characters`).click();
  await page.getByText('{"half":1}').waitFor();
});

test("all times of a run are those of the reader's clock", async () => {
  const id = await start("twice");
  await reach(id, "success");
  const { page, context, open } = await openConsole(browser, { url, key });
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Kolkata" });
  const shown = async (tab: string, list: Locator): Promise<void> => {
    await open(`/runs/${id}?tab=${tab}`);
    const time = list.locator("time").first();
    await time.waitFor();
    const at = Date.parse((await time.getAttribute("datetime")) ?? "") + 330 * 60_000;
    expect([tab, await time.innerText()]).toEqual([tab, new Date(at).toISOString().slice(11, 23)]);
  };
  await shown("events", page.getByRole("list", { name: "Events" }));
  await shown("attempts", page.getByRole("tabpanel"));
});

test("a run's callback is followed until it is delivered, and so is one that is sent again", async () => {
  const receiver = await openReceiver();
  onTestFinished(() => receiver.close());
  const id = await start("counter", { n: 2000 }, { completion_callback_url: receiver.url });
  await reach(id, "running");
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${id}?tab=callbacks`);
  const panel = page.getByRole("tabpanel");
  await panel.getByText(/: waiting/).waitFor();
  await call(url, "POST", `/v1/runs/${id}/cancel`, {}, ada);
  await panel.getByText(/: delivered/).waitFor();
  await panel.getByRole("button", { name: "Send again" }).click();
  await panel.getByRole("row").nth(2).waitFor();
  await panel.getByText(/: delivered/).waitFor();
});

test("the API is killed in mid-stream: the page says so, comes back, and shows everything once", async () => {
  const id = await start("counter", { n: 100 });
  await reach(id, "running");
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${id}`);
  await page.getByText("[5]").waitFor();
  await service.api.stop("SIGKILL");
  await page.getByText("Connection lost").waitFor();
  expect(await shownText(page)).toContain("[5]");
  service.api = await stack.start("api", { ...env, PORT: new URL(url).port });
  await page.getByText("Connection lost").waitFor({ state: "detached" });
  await reach(id, "success");
  const all = Array.from({ length: 100 }, (_, i) => `[${i}]`).join("");
  await waitFor(async () => (await shownText(page)).includes("[99]"));
  expect(await page.locator("p", { hasText: "[0]" }).innerText()).toBe(all);
});

test("a part of the console that was not opened yet is there when the service is away or is another version, and comes when it is back", async () => {
  const id = await start("greeter", { name: "Away" });
  const { page, open } = await openConsole(browser, { url, key });
  const held = { release: (): void => {} };
  const isReleased = new Promise<void>((resolve) => (held.release = resolve));
  const away = (route: Route): Promise<void> => route.abort();
  await page.route(/daemons-page-.*js/, (route) => isReleased.then(() => route.abort()), { times: 1 });
  await open("/runs");
  await page.getByTitle(id).waitFor();
  // This page is asked for, and the service goes away.
  await page.getByRole("link", { name: "Daemons" }).click();
  await page.route("**/*", away);
  held.release();
  await page.getByText("Connection lost").waitFor();
  await page.unroute("**/*", away);
  await page.getByRole("heading", { name: "Daemons", level: 1 }).waitFor();

  const all = page.waitForEvent("requestfinished", (request) => /fleet-page-.*js/.test(request.url()));
  await open("/runs");
  await all;
  await page.route("**/console/**", away);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Find and do" }).waitFor();
  await page.keyboard.press("Escape");
  await page
    .getByRole("row")
    .filter({ has: page.getByTitle(id) })
    .getByText("greeter")
    .click();
  await page
    .getByRole("complementary", { name: `Run ${id}` })
    .getByText("Hello Away,")
    .waitFor();
  await page.getByRole("link", { name: "Errors" }).click();
  await page.getByRole("heading", { name: "Errors" }).waitFor();
});

test("a run whose stream could not be read is read again, without a reload", async () => {
  const id = await start("greeter", { name: "Again" });
  await reach(id, "success");
  const { page, open } = await openConsole(browser, { url, key });
  const answer = { status: 500, json: { detail: "broken", code: "internal_error", request_id: "req_1" } };
  await page.route(`**/v1/runs/${id}/stream*`, (route) => route.fulfill(answer), { times: 1 });
  await open(`/runs/${id}`);
  await page.getByText("internal_error · req_1").waitFor();
  await page.getByText("Hello Again,").waitFor();
  expect(await page.getByText("internal_error").count()).toBe(0);
});

test("an error of the service is told as what it is; only a proxy's answer means that the connection is lost", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  const refused = { status: 503, json: { detail: "The queue is full.", code: "queue_full", request_id: "req_1" } };
  await page.route("**/v1/studio/agents*", (route) => route.fulfill(refused));
  await open("/agents");
  await page.getByText("queue_full · req_1").waitFor();
  expect(await page.getByText("Connection lost").count()).toBe(0);
  await page.route("**/v1/studio/agents*", (route) => route.fulfill({ status: 503, body: "<html>" }));
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Connection lost").waitFor();
});

test("an act that the service refuses says so where it was done", async () => {
  await call(url, "PUT", "/v1/agents/greeter/secrets/TOKEN", { value: "secret" }, ada);
  await call(url, "PUT", "/v1/billing/spend-limit", { period: "day", amount_micro_usd: 1_000_000 }, ada);
  await call(url, "POST", "/v1/notifications", { type: "news", title: "Heard" }, ada);
  await call(url, "POST", "/v1/versions/greeter", { config: { source: "def main(name):\n    return 1\n" } }, ada);
  const { page, open } = await openConsole(browser, { url, key });
  const refused = { status: 403, json: { detail: "It is refused.", code: "missing_scope", request_id: "req_1" } };
  const told = page.getByRole("alert").filter({ hasText: "It is refused." }).first();
  const refuseWrites = (route: Route): Promise<void> =>
    route.request().method() === "GET" ? route.continue() : route.fulfill(refused);
  await page.route("**/v1/**", refuseWrites);
  const acts: [path: string, button: string | RegExp][] = [
    ["/agents/greeter/settings", "Delete the secret TOKEN"],
    ["/billing", "Remove the limit of a day"],
    ["/inbox", "Mark as read: Heard"],
    ["/inbox", /^Mark \d+ as read$/],
    ["/agents/greeter/versions", "Archive"],
    ["/agents", "Sign out"],
  ];
  for (const [path, name] of acts) {
    await open(path);
    await page.getByRole("button", { name }).first().click();
    await told.waitFor();
  }
  await page.unroute("**/v1/**", refuseWrites);
  await page.route("**/cancel", (route) => route.fulfill(refused));
  await open("/agents/counter/play");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await told.waitFor();
  const { body } = await call(url, "GET", "/v1/runs?agent_id=counter&status=running", undefined, ada);
  for (const { id } of body["data"] as { id: string }[]) await call(url, "POST", `/v1/runs/${id}/cancel`, {}, ada);
  // One of the three lists that the palette asks is refused: what the others found stands there, too.
  await page.route("**/v1/threads?*", (route) => route.fulfill(refused));
  await open("/agents");
  await page.getByRole("link", { name: "greeter" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("greeter");
  await page.getByText("The search failed: It is refused.").waitFor();
  await page.getByRole("option", { name: "greeter" }).first().waitFor();
});

test("a question is answered where it is asked, and the same run goes on", async () => {
  const id = await start("asker", { order: "B2" });
  await reach(id, "interrupted");
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${id}`);
  await page.getByRole("heading", { name: "Refund B2?" }).waitFor();
  await page.getByLabel("Pay it back?").check();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("paid:").waitFor();
  expect(await statusOf(id)).toBe("success");
});

test("an answer of no is a box that is left as it is", async () => {
  const id = await start("asker", { order: "B3" });
  await reach(id, "interrupted");
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${id}`);
  expect(await page.getByLabel("Pay it back?").isChecked()).toBe(false);
  await page.getByRole("button", { name: "Answer" }).click();
  await reach(id, "success");
  const { body } = await call(url, "GET", `/v1/runs/${id}`, undefined, ada);
  expect(body["result_content"]).toEqual({ paid: false });
});

test("a question that follows an answer at once: what the run has done between them is shown", async () => {
  await publish(
    "asks-twice",
    py`
      from runfleet import interrupt
      def main():
          said = interrupt("First?")
          yield f"You said {said}."
          interrupt("Second?")
    `,
  );
  const id = await start("asks-twice");
  await reach(id, "interrupted");
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${id}`);
  await page.getByRole("heading", { name: "First?" }).waitFor();
  // The record is read next when the second question is asked, as it is by a browser that is far away.
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(new RegExp(`/v1/runs/${id}$`), (route) => held.then(() => route.continue()));
  const async = { ...ada, prefer: "respond-async" };
  expect((await call(url, "POST", `/v1/runs/${id}/resume`, { response: "yes" }, async)).status).toBeLessThan(300);
  await waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/runs/${id}`, undefined, ada);
    return (body["interrupts"] as { message: string }[])[0]?.message === "Second?";
  }, 30_000);
  release();
  await page.getByRole("heading", { name: "Second?" }).waitFor();
  await page.getByRole("tabpanel").getByText("You said yes.").waitFor();
});

test("a question whose schema refers to itself is answered as JSON there, and takes no page away", async () => {
  const node = {
    type: "object",
    properties: {
      text: { type: "string", title: "Text" },
      next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }], default: null },
    },
  };
  const schema = { type: "object", properties: { node: { $ref: "#/$defs/Node" } }, $defs: { Node: node } };
  await publish(
    "chain",
    py`
      from runfleet import interrupt
      def main(schema, more=None):
          return interrupt("Which chain?", response_schema=schema)
    `,
  );
  const id = await start("chain", { schema });
  await reach(id, "interrupted");
  const { page, open } = await openConsole(browser, { url, key });
  await open("/inbox");
  const question = page.getByRole("listitem").filter({ hasText: "Which chain?" });
  await question.getByLabel("node").fill('{"text": "a", "next": {"text": "b"}}');
  await question.getByRole("button", { name: "Answer" }).click();
  await reach(id, "success");
  const { body } = await call(url, "GET", `/v1/runs/${id}`, undefined, ada);
  expect(body["result_content"]).toEqual({ node: { text: "a", next: { text: "b" } } });
});

test("an answer is what is shown: an empty box and text that is no JSON are not sent", async () => {
  await publish(
    "free",
    py`
      from runfleet import interrupt
      def main(schema=None, more=None):
          return {"said": interrupt("Say it.", response_schema=schema)}
    `,
  );
  const [text, list] = await Promise.all([start("free"), start("free", { schema: { type: "array" } })]);
  await Promise.all([reach(text, "interrupted"), reach(list, "interrupted")]);
  const { page, open } = await openConsole(browser, { url, key });
  let sent = 0;
  page.on("request", (request) => void (sent += request.url().endsWith("/resume") ? 1 : 0));
  const answer = page.getByRole("button", { name: "Answer" });
  const isRefused = async (box: Locator): Promise<boolean> => {
    await answer.click();
    return box.evaluate((field) => (field as unknown as { matches(of: string): boolean }).matches(":focus:invalid"));
  };
  await open(`/runs/${text}`);
  const said = page.getByRole("textbox", { name: "Answer", exact: true });
  expect(await isRefused(said)).toBe(true);
  await said.fill("yes");
  await answer.click();
  await page.getByText("said:").waitFor();
  await open(`/runs/${list}`);
  const json = page.getByLabel("Answer as JSON");
  expect(await isRefused(json)).toBe(true);
  await json.fill("[1]");
  await json.fill("[1, 2");
  expect(await isRefused(json)).toBe(true);
  expect(sent).toBe(1);
  await json.fill("[1, 2]");
  await answer.click();
  await reach(list, "success");
  const { body } = await call(url, "GET", `/v1/runs/${list}`, undefined, ada);
  expect(body["result_content"]).toEqual({ said: [1, 2] });
});

test("the playground: the agent's schema is the form, a wrong value is told at its place, and the run streams beside it", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  await open("/agents/greeter/play");
  await page.getByLabel("Your name").fill("Grace");
  await page.getByLabel("Times").fill("7");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator("[data-kind=number]").getByRole("alert").waitFor();
  await page.getByLabel("Times").fill("2");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("Hello Grace,").waitFor();
  await page.getByText("greeted:").waitFor();
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  expect(await page.getByLabel("Input as JSON").inputValue()).toContain('"times": 2');
});

test("the playground sends what its form shows: numbers as they are typed, and nothing while a field is unreadable", async () => {
  const properties = { sizes: { type: "array", items: { type: "number" }, title: "Sizes" } };
  await publish("sizer", "def main(sizes):\n    return sizes\n", { input_schema: { type: "object", properties } });
  const { page, open } = await openConsole(browser, { url, key });
  await open("/agents/sizer/play");
  await page.getByLabel("Sizes").pressSequentially("1.5\n2");
  expect(await page.getByLabel("Sizes").inputValue()).toBe("1.5\n2");
  const run = page.getByRole("button", { name: "Run", exact: true });
  const sent: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/execute")) sent.push(request.postDataJSON()["input_payload"]);
  });
  await run.click();
  await page.locator("[class*=stream]").getByText("success").waitFor();
  await page.getByLabel("Sizes").fill("1.5\ntwo");
  await page.getByText("“two” is no number.").waitFor();
  await run.click();
  await page.getByLabel("Sizes").fill("3");
  await page.getByText("Thread, environment, files, time limit").click();
  await page.getByLabel("Environment variables").fill('{"A": ');
  await page.getByText("Thread, environment, files, time limit").click();
  await run.click();
  // It is unfolded to say so.
  await page.getByLabel("Environment variables").waitFor();
  expect(sent).toEqual([{ sizes: [1.5, 2] }]);
});

test("the playground sends a group that may be left out with its boxes, and leaves it out when it is emptied again", async () => {
  const gift = {
    type: "object",
    title: "Gift",
    required: ["name", "wrapped"],
    properties: { name: { type: "string", title: "For whom" }, wrapped: { type: "boolean", title: "Wrapped" } },
  };
  const input_schema = { type: "object", properties: { gift } };
  await publish("giver", "def main(gift=None):\n    return gift\n", { input_schema });
  const { page, open } = await openConsole(browser, { url, key });
  await open("/agents/giver/play");
  const sentBy = async (act: () => Promise<void>): Promise<unknown> => {
    const sent = page.waitForRequest("**/v1/execute");
    await act();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    return (await sent).postDataJSON()["input_payload"];
  };
  expect(await sentBy(() => page.getByLabel("For whom").fill("Ada"))).toEqual({
    gift: { name: "Ada", wrapped: false },
  });
  expect(await sentBy(() => page.getByLabel("For whom").fill(""))).toEqual({});
});

test("the playground keeps what was filled in when another version becomes current, and runs that one", async () => {
  const properties = { name: { type: "string", title: "Your name" } };
  const config = { source: "def main(name):\n    return name\n", input_schema: { type: "object", properties } };
  await publish("moving", config.source, config);
  const { page, open } = await openConsole(browser, { url, key });
  await open("/agents/moving/play");
  await page.getByLabel("Your name").fill("Ada");
  await page.getByText("Thread, environment, files, time limit").click();
  await page.getByLabel("Time limit in seconds").fill("9");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator("[class*=stream]").getByText("success").waitFor();
  const deployed = {
    config: {
      source: "def main(name, loud):\n    return loud\n",
      input_schema: { type: "object", properties: { ...properties, loud: { type: "boolean", title: "Loud" } } },
    },
    make_current: true,
  };
  expect((await call(url, "POST", "/v1/versions/moving", deployed, ada)).status).toBeLessThan(300);
  await comeBack(page, "/v1/versions/moving/current");
  await page.getByLabel("Loud").check();
  expect(await page.getByLabel("Your name").inputValue()).toBe("Ada");
  expect(await page.getByLabel("Time limit in seconds").inputValue()).toBe("9");
  expect(await page.locator("[class*=stream]").getByText("success").count()).toBe(1);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("group", { name: "result" }).getByText("true").waitFor();
});

test("the playground says what it doesn't take over of an earlier run", async () => {
  const id = await start("greeter", { name: "Eve" }, { env_vars: { MOOD: "good" }, files: { "a.txt": "a" } });
  await reach(id, "success");
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/agents/greeter/play?from=${id}`);
  await page.getByText("The run had files and environment variables, too, which are not taken over.").waitFor();
  expect(await page.getByLabel("Your name").inputValue()).toBe("Eve");
});

test("the playground sends the files that were chosen, and one that can't be read is told", async () => {
  const folder = mkdtempSync("/var/tmp/runfleet-files-");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "notes.txt");
  writeFileSync(file, "forty-two");
  await publish("reader", 'def main():\n    return open("notes.txt").read()\n');
  const { page, open } = await openConsole(browser, { url, key });
  await open("/agents/reader/play");
  await page.getByText("Thread, environment, files, time limit").click();
  await page.getByLabel("Files").setInputFiles(file);
  await page.getByLabel("Time limit in seconds").fill("9");
  const run = page.getByRole("button", { name: "Run", exact: true });
  await run.click();
  await page.locator("[class*=stream]").getByText("forty-two").first().waitFor();
  rmSync(file);
  await run.click();
  await page.getByRole("alert").getByText("notes.txt can't be read").waitFor();
});

test("the playground starts a run while other pages take all streams, says that it waits, and shows it when one is free", async () => {
  const { page, context, open } = await openConsole(browser, { url, key });
  const other = await context.newPage();
  await other.goto(`${url}/console/agents`);
  await other.evaluate(
    "Promise.all([1, 2, 3, 4].map((slot) => new Promise((got) => void navigator.locks.request(`stream-${slot}`, () => (got(), new Promise(() => {}))))))",
  );
  await open("/agents/greeter/play");
  await page.getByLabel("Your name").fill("Late");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("heading", { name: "Waits for other pages" }).waitFor();
  await page.locator("[class*=stream]").getByText("success").waitFor();
  await other.close();
  await page.getByText("Hello Late,").waitFor();
});

test("the playground shows how a run ended, though an answer from before its end comes later or never", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  let noteEnd = (): void => {};
  const ended = new Promise<void>((resolve) => (noteEnd = resolve));
  await page.route(/\/v1\/runs\/run_[^/?]+$/, async (route) => {
    const response = await route.fetch();
    const { completed_at } = (await response.json()) as { completed_at: string | null };
    if (completed_at === null) await ended;
    else noteEnd();
    await route.fulfill({ response }).catch(() => undefined);
  });
  await open("/agents/counter/play");
  await page.getByLabel("Input as JSON").fill('{"n": 20}');
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const played = page.locator("[class*=stream]");
  await played.getByText("success").waitFor();
  await played.getByText("[19]").first().waitFor();
});

test("an agent is made from pasted code; a changed version is compared and promoted", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  await open("/welcome");
  await page.getByRole("textbox", { name: "Name" }).fill("pasted");
  await page.getByRole("textbox", { name: "Code" }).fill('def main():\n    yield "first words"\n');
  await page.getByRole("button", { name: "Publish and run" }).click();
  await page.getByText("first words", { exact: true }).waitFor();
  await open("/agents/pasted/versions/1.0.0");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByLabel("Edit main.py").fill('def main():\n    yield "other words"\n');
  await page.getByRole("button", { name: "Publish as a new version" }).click();
  await page.waitForURL(/versions\/1\.0\.0\+|versions\/1\.0\.0%2B/);
  await open("/agents/pasted/versions");
  for (const at of [0, 1]) await page.getByRole("checkbox").nth(at).check();
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.locator("[data-kind=added]", { hasText: "other words" }).waitFor();
  expect(await page.locator("[data-kind=removed]").innerText()).toContain("first words");
  await open("/agents/pasted/versions");
  await page.getByRole("button", { name: "Promote…" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Promote/ })
    .click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect((await call(url, "GET", "/v1/agents/pasted", undefined, ada)).body["current_version"]).toMatch(/^1\.0\.0\+/);
});

test("limits are not published over a version that has become current since the page was opened", async () => {
  await publish("limited", "def main():\n    return 1\n");
  const { page, open } = await openConsole(browser, { url, key });
  await open("/agents/limited/settings");
  await page.getByLabel("Memory").fill("256");
  const deployed = { config: { source: "def main():\n    return 2\n" }, make_current: true };
  const { body } = await call(url, "POST", "/v1/versions/limited", deployed, ada);
  await comeBack(page, "/v1/agents/limited");
  await page.getByRole("button", { name: "Publish with these limits" }).click();
  await page.getByText(`version ${String(body["version"])} has become current`).waitFor();
  const current = async () => (await call(url, "GET", "/v1/agents/limited", undefined, ada)).body;
  expect((await current())["current_version"]).toBe(body["version"]);
  await page.reload();
  await page.getByLabel("Memory").fill("256");
  await page.getByRole("button", { name: "Publish with these limits" }).click();
  await waitFor(async () => (await current())["current_version"] !== body["version"]);
  await page.getByText(`Version ${String((await current())["current_version"])} is current.`).waitFor();
  expect((await current())["config"]).toMatchObject({ source: deployed.config.source, limits: { memory_mb: 256 } });
});

test("a long file is read at once: its first 10,000 lines, and how many more there are", async () => {
  await publish("lengthy", `def main():\n    return 1\n${"x = 1  # so long\n".repeat(15_000)}`);
  const { page, open } = await openConsole(browser, { url, key });
  await open("/agents/lengthy/versions/1.0.0");
  await page.getByText("5,003 more lines are not shown.").waitFor();
});

test("a run of 100,000 log lines is searched, and only what is seen is in the page", async () => {
  await publish(
    "talker",
    py`
      from runfleet import log
      def main():
          log("line 0")
    `,
  );
  const id = await start("talker");
  await reach(id, "success");
  await repeatLogLine(id, 100_000);
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${id}?tab=log`);
  await page.getByText("100,000 lines").waitFor({ timeout: 60_000 });
  expect(await page.getByRole("list", { name: "Log lines" }).getByRole("listitem").count()).toBeLessThan(60);
  await page.getByLabel("Search the log").fill("line 9876");
  await page.getByText("line 98765").waitFor();
});

type StoredEvent = [seq: number, type: string, data: string];

/** Makes a run that has logged one line one that has logged many, as it is stored. */
async function repeatLogLine(id: string, count: number): Promise<void> {
  await stack.redis.del(`${stack.prefix}run:${id}`);
  const { rows } = await stack.sql.query<{ events: StoredEvent[] }>(
    "DELETE FROM transcript_chunks WHERE run_id = $1 AND attempt = 1 RETURNING events",
    [id],
  );
  const said = rows.flatMap(({ events }) => events).toSorted(([one], [other]) => one - other);
  const lines = (text: string): string[] =>
    Array.from({ length: count }, (_, at) => text.replace("line 0", `line ${at}`));
  const events = said
    .flatMap(([, type, data]) => (type === "log" ? lines(data) : [data]).map((text) => ({ type, text })))
    .map(({ type, text }, at): StoredEvent => [at + 1, type, text.replace(/"seq":\d+/, `"seq":${at + 1}`)]);
  const chunks = Array.from({ length: Math.ceil(events.length / 1_000) }, (_, at) =>
    events.slice(at * 1_000, (at + 1) * 1_000),
  );
  await stack.sql.query(
    `INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events)
     SELECT $1, 1, (chunk->0->>0)::int, (chunk->-1->>0)::int, chunk FROM json_array_elements($2::json) AS chunk`,
    [id, JSON.stringify(chunks)],
  );
}

test("a thread is a chat: what was said stands there, a turn is sent, and another thread goes on from an earlier turn", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  await open("/threads");
  await page.getByRole("cell", { name: "chat-1" }).getByRole("link").click();
  await page.getByText("You said one.").waitFor();
  await page.getByLabel("Say something to talk").fill("two");
  await page.keyboard.press("Enter");
  await page.getByText("You said two.").waitFor();
  await page.getByRole("button", { name: "State" }).click();
  await waitFor(async () => (await page.getByRole("textbox", { name: "State" }).inputValue()).includes("two"));
  await page.getByRole("button", { name: "Fork here" }).first().click();
  await waitFor(() => Promise.resolve(!page.url().includes("chat-1")));
  await page.getByText("You said one.").waitFor();
  expect(await page.getByText("You said two.").count()).toBe(0);
});

test("of a thread's turns that have not ended the first one takes a stream, and the others when they run", async () => {
  await publish(
    "slow",
    py`
      import time
      def main(message: str):
          yield f"Heard {message}."
          time.sleep(600)
    `,
  );
  const ids: string[] = [];
  for (const message of ["a", "b", "c", "d", "e"])
    ids.push(await start("slow", { message }, { thread_id: "slow-chat" }));
  const { page, open } = await openConsole(browser, { url, key });
  const read = new Set<string | undefined>();
  page.on("request", (request) => {
    const [, id] = /runs\/(.+)\/stream/.exec(request.url()) ?? [];
    if (id !== undefined) read.add(id);
  });
  await open("/threads/slow-chat");
  await page.getByText("Heard a.").waitFor();
  expect(await page.getByText("Its answer appears here.").count()).toBe(4);
  expect([...read]).toEqual([ids[0]]);
  await call(url, "POST", `/v1/runs/${ids[0]}/cancel`, {}, ada);
  await page.getByText("Heard b.").waitFor();
  for (const id of ids.slice(1).toReversed()) await call(url, "POST", `/v1/runs/${id}/cancel`, {}, ada);
});

test("a thread's state is shown as each turn leaves it, and one that was not seen is not replaced", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  const say = (message: string) => start("talk", { message }, { thread_id: "chat-state" });
  await reach(await say("one"), "success");
  await open("/threads/chat-state");
  await page.getByRole("button", { name: "State" }).click();
  const state = page.getByRole("textbox", { name: "State" });
  const shows = (word: string) => waitFor(async () => (await state.inputValue()).includes(word));
  await shows("one");
  await page.getByLabel("Say something to talk").fill("two");
  await page.keyboard.press("Enter");
  await shows("two");
  await state.fill("typed");
  await reach(await say("three"), "success");
  await page.getByText("You said three.").waitFor();
  await page.getByText("another state since you began to type").waitFor();
  expect(await state.inputValue()).toBe("typed");
  await page.getByRole("button", { name: "Set this state" }).click();
  await page.getByText("Nothing was set").waitFor();
  await page.getByRole("button", { name: "Show it" }).click();
  await shows("three");
  await state.fill("typed");
  await page.getByRole("button", { name: "Set this state" }).click();
  const stored = async () => (await call(url, "GET", "/v1/threads/chat-state/state", undefined, ada)).body;
  await waitFor(async () => (await stored())["state_snapshot"] === "typed");
});

test("a held Enter sends one turn, and the Enter that ends a composition sends none", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  await open("/threads/chat-1");
  const sent: Request[] = [];
  page.on("request", (request) => void (request.url().endsWith("/v1/execute") && sent.push(request)));
  const held = page.waitForRequest("**/v1/execute");
  await page.route("**/v1/execute", async (route) => {
    await page.keyboard.down("Enter");
    await page.keyboard.down("Enter");
    await route.continue();
  });
  const box = page.getByLabel("Say something to talk");
  await box.fill("held");
  await box.dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true });
  expect(sent).toEqual([]);
  await page.keyboard.down("Enter");
  await held;
  await page.getByText("You said held.").waitFor();
  expect(sent).toHaveLength(1);
});

test("the inbox: a question is answered there, and leaves it", async () => {
  const id = await start("asker", { order: "C3" });
  await reach(id, "interrupted");
  const { page, open } = await openConsole(browser, { url, key });
  await open("/inbox");
  const question = page.getByRole("listitem").filter({ hasText: "Refund C3?" });
  await question.getByLabel("Pay it back?").check();
  await question.getByRole("button", { name: "Answer" }).click();
  await reach(id, "success");
  await page.getByRole("heading", { name: "Refund C3?" }).waitFor({ state: "detached" });
});

test("a schedule shows its next ticks before it is made, and runs at once when it is asked to", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  await open("/schedules");
  await page.getByRole("row", { name: /Each morning/ }).waitFor();
  await page.getByRole("button", { name: "New schedule" }).click();
  const dialog = page.getByRole("dialog", { name: "New schedule" });
  await dialog.getByLabel("When").fill("61 * * * *");
  await dialog.locator("p.bad").waitFor();
  await dialog.getByLabel("When").fill("30 8 * * 1-5");
  await waitFor(async () => (await dialog.getByRole("listitem").count()) === 5);
  await dialog.getByLabel("Agent").fill("greeter");
  await dialog.getByRole("textbox", { name: "Input, as JSON" }).fill('{"name": "Noon"}');
  await dialog.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("row", { name: /30 8/ }).getByRole("link").click();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("cell", { name: "fired" }).waitFor();
});

test("two runs are compared: what they were given and what they returned", async () => {
  const [one, two] = await Promise.all([
    start("greeter", { name: "Ada", times: 1 }),
    start("greeter", { name: "Ada", times: 2 }),
  ]);
  await Promise.all([reach(one, "success"), reach(two, "success")]);
  const { page, open } = await openConsole(browser, { url, key });
  await open(`/runs/${one}/vs/${two}`);
  await page
    .getByRole("table", { name: "Lines of the result" })
    .locator("[data-kind=added]", { hasText: "2" })
    .waitFor();
  await waitFor(async () => (await page.getByRole("region", { name: "Timeline" }).count()) === 2);
  // What the first one did is forgotten, but for its end.
  // A run on a slow machine has more than one piece.
  await stack.sql.query(
    `DELETE FROM transcript_chunks WHERE run_id = $1
       AND last_seq < (SELECT max(last_seq) FROM transcript_chunks WHERE run_id = $1)`,
    [one],
  );
  await stack.sql.query(
    `UPDATE transcript_chunks SET first_seq = last_seq, events = json_build_array(events->-1) WHERE run_id = $1`,
    [one],
  );
  await stack.redis.del(`${stack.prefix}run:${one}`);
  await open(`/runs/${one}/vs/${two}`);
  await page.getByText("What it did is not kept any more.").waitFor();
  expect(await page.getByText("What it did is not kept any more.").count()).toBe(1);
});

test("runs that fail alike are one error: it is resolved, and its runs are run again on another version", async () => {
  await publish("picky", 'def main(n):\n    raise ValueError(f"{n} is too many")\n');
  const ids = await Promise.all([start("picky", { n: 11 }), start("picky", { n: 12 })]);
  await Promise.all(ids.map((id) => reach(id, "error")));
  await publish("picky", "def main(n):\n    return n\n", { version: undefined });
  const { page, open } = await openConsole(browser, { url, key });
  await open("/errors?agent=picky");
  const row = page.getByRole("row", { name: /is too many/ });
  await row.getByRole("cell", { name: "2", exact: true }).waitFor();
  await row.getByRole("link", { name: /too many/ }).click();
  await page.getByLabel("Traceback of the newest run").getByText("in main").waitFor();
  await page.getByRole("button", { name: "Run again…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Go on" }).click();
  const dialog = page.getByRole("dialog", { name: "Run again" });
  await dialog.getByRole("textbox").fill("2");
  await dialog.getByRole("button", { name: "Run again 2 runs" }).click();
  await dialog.getByText("2 of 2").waitFor();
  const made = await dialog.getByRole("link", { name: "The runs that it starts" }).getAttribute("href");
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("button", { name: "Open again" }).waitFor();
  await open("/errors?agent=picky");
  await page.getByText("No error is open").waitFor();
  await open((made ?? "").replace("/console", ""));
  await waitFor(async () => (await page.getByLabel(/^Select run_/).count()) === 2);
});

test("a webhook is made, its secret shown once; a test is sent, its tries are told, and it is sent again", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  // The list's first answer was made before the webhook is, and comes after everything else.
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const holdFirst = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response }).catch(() => undefined);
  };
  await page.route(/\/v1\/webhooks(\?|$)/, holdFirst, { times: 1 });
  await open("/webhooks");
  await page.getByRole("button", { name: "New webhook" }).click();
  await page.getByLabel("Address").fill("http://127.0.0.1:9/hook");
  await page.getByRole("dialog").getByRole("button", { name: "Make it" }).click();
  const secret = page.getByRole("dialog", { name: "The webhook's secret" });
  expect(await secret.locator("code").innerText()).toMatch(/^whsec_/);
  await secret.getByRole("button", { name: "I have it" }).click();
  const made = page.getByRole("link", { name: "http://127.0.0.1:9/hook" });
  await made.waitFor();
  release();
  await made.click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByRole("button", { name: /^[1-9]\d* tr(y|ies)$/ }).click();
  await page.getByRole("list", { name: "Tries" }).getByText("no answer").first().waitFor();
  await page.getByText("timestamp:").waitFor();
  const again = page.waitForResponse((response) => response.url().endsWith("/redeliver"));
  await page
    .getByRole("button", { name: /^Send again: / })
    .first()
    .click();
  expect((await again).status()).toBeLessThan(300);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Activate" }).waitFor();
});

test("an account: a key is made with the rights that were chosen, is shown once, and is revoked; a session is ended", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  const other = await openConsole(browser, { url, key });
  await other.open("/welcome");
  await open("/account");
  await page.getByRole("table", { name: "API keys" }).waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog", { name: "New API key" });
  await dialog.getByLabel("Name").fill("reader");
  await dialog.getByLabel("*", { exact: true }).uncheck();
  await dialog.getByLabel("runs:read").check();
  await dialog.getByRole("button", { name: "Make it" }).click();
  const made = await page.getByRole("dialog", { name: "The new key" }).locator("code").last().innerText();
  await page.getByRole("button", { name: "I have it" }).click();
  const bearer = { authorization: `Bearer ${made}` };
  expect((await call(url, "GET", "/v1/runs?limit=1", undefined, bearer)).status).toBe(200);
  expect((await call(url, "GET", "/v1/agents", undefined, bearer)).status).toBe(403);
  expect(await page.content()).not.toContain(made);
  await page.getByRole("button", { name: "Revoke reader" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke it" }).click();
  await page
    .getByRole("row", { name: /reader/ })
    .getByText("revoked")
    .waitFor();
  expect((await call(url, "GET", "/v1/runs?limit=1", undefined, bearer)).status).toBe(401);
  await page
    .getByRole("button", { name: /^End the session/ })
    .first()
    .click();
  await waitFor(
    async () =>
      (await other.page.evaluate<number>(
        "fetch('/v1/runs?limit=1', { headers: { 'x-runfleet-console': '1' } }).then(({ status }) => status)",
      )) === 401,
  );
});

test("who may not do everything makes a key with a part of their own rights", async () => {
  const some = await makeKey(stack, "ada", ["users:read", "users:write", "runs:read"]);
  const { page, open } = await openConsole(browser, { url, key: some });
  await open("/account");
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog", { name: "New API key" });
  await dialog.getByLabel("runs:read").waitFor();
  expect(await dialog.getByRole("checkbox").count()).toBe(3);
  expect(await dialog.getByRole("button", { name: "Make it" }).isDisabled()).toBe(true);
  await dialog.getByLabel("runs:read").check();
  await dialog.getByRole("button", { name: "Make it" }).click();
  const made = await page.getByRole("dialog", { name: "The new key" }).locator("code").last().innerText();
  const bearer = { authorization: `Bearer ${made}` };
  expect((await call(url, "GET", "/v1/runs?limit=1", undefined, bearer)).status).toBe(200);
});

test("a profile that is changed elsewhere takes nothing away of what was typed", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  await open("/account");
  const profile = page.getByRole("region", { name: "Profile" });
  await profile.getByLabel("Name").fill("Ada L.");
  await call(url, "PATCH", "/v1/users/me", { email: "ada@example.com" }, ada);
  await comeBack(page, "/v1/users/me");
  await waitFor(async () => (await profile.getByLabel("Email").inputValue()) === "ada@example.com");
  expect(await profile.getByLabel("Name").inputValue()).toBe("Ada L.");
  await profile.getByRole("button", { name: "Save" }).click();
  await waitFor(async () => {
    const { body } = await call(url, "GET", "/v1/users/me", undefined, ada);
    return body["name"] === "Ada L." && body["email"] === "ada@example.com";
  });
  await waitFor(() => profile.getByRole("button", { name: "Save" }).isDisabled());
});

test("billing: a spend limit is set and removed, and what can't be done without a payment provider is told", async () => {
  const { page, open } = await openConsole(browser, { url, key });
  await open("/billing");
  await page.getByRole("button", { name: "Set a limit…" }).click();
  await page.getByRole("dialog").getByLabel("US dollars").fill("12.50");
  await page.getByRole("button", { name: "Set it" }).click();
  const row = page.getByRole("row", { name: /month/ });
  await row.getByText("$12.50").waitFor();
  await row.getByRole("button", { name: "Remove the limit of a month" }).click();
  await row.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Top up…" }).click();
  await page.getByRole("button", { name: "Go to the payment page" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Leave it" }).click();
  await page.getByRole("tab", { name: "Usage" }).click();
  await page.getByRole("table", { name: "Usage" }).getByRole("row").nth(1).waitFor();
});

test("the fleet: who may not see it is told; a queue is paused and resumed, a chore is run, a user is made and deleted", async () => {
  const mine = await openConsole(browser, { url, key });
  await mine.open("/fleet/workers");
  await mine.page.getByRole("heading", { name: "No right to see this" }).waitFor();
  expect(await mine.page.getByRole("link", { name: "Fleet", exact: true }).count()).toBe(0);
  const { page, open } = await openConsole(browser, { url, key: await makeKey(stack, "root", operator) });
  await open("/fleet");
  await page.getByText("Slots busy").waitFor();
  await page.getByRole("figure", { name: "Slots, 24 h" }).waitFor();
  await page.getByRole("tab", { name: "Queues" }).click();
  await page.getByRole("button", { name: "Pause Callbacks and webhooks" }).click();
  await page.getByRole("button", { name: "Resume Callbacks and webhooks" }).click();
  await page.getByRole("button", { name: "Pause Callbacks and webhooks" }).waitFor();
  await page.getByRole("tab", { name: "Internal jobs" }).click();
  await page.getByRole("button", { name: "Run now: rollup-analytics" }).click();
  await page
    .getByRole("row", { name: /rollup-analytics/ })
    .getByText(/s ago/)
    .waitFor();
  await page.getByRole("tab", { name: "Users" }).click();
  await page.getByRole("button", { name: "Delete ada" }).waitFor();
  await page.getByRole("button", { name: "New user" }).click();
  await page.getByRole("dialog").getByLabel(/^Id/).fill("grace");
  await page.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("button", { name: "Delete grace" }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByRole("button", { name: "Delete grace" }).waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Audit" }).click();
  await page
    .getByRole("row", { name: /delete user/ })
    .first()
    .waitFor();
  const id = await start("counter", { n: 2000 });
  await reach(id, "running");
  await page.getByRole("tab", { name: "Workers" }).click();
  await page.getByRole("link", { name: `counter: ${id}` }).waitFor();
  await page
    .getByRole("button", { name: /^Drain/ })
    .first()
    .click();
  await page.getByRole("dialog", { name: "Drain the worker?" }).getByRole("button", { name: "Leave it" }).click();
  await call(url, "POST", `/v1/runs/${id}/cancel`, {}, ada);
});
