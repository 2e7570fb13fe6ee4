import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { call } from "../harness/client.ts";
import { waitFor } from "../harness/wait-for.ts";
import { comeBack, openConsole } from "./open-page.ts";
import { useConsole } from "./use-console.ts";

const { url, key, ada, browser, publish, start, reach } = await useConsole();

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
