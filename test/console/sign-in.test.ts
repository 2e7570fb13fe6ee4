import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Request } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { call } from "../harness/client.ts";
import { makeKey } from "../harness/make-key.ts";
import { py } from "../harness/py.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openConsole } from "./open-page.ts";
import { useConsole } from "./use-console.ts";

const { stack, url, key, ada, browser, publish, start, statusOf, reach } = await useConsole();

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
