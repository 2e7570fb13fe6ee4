import type { Locator, Page, Route } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { call } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { openReceiver } from "../harness/receiver.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openConsole } from "./open-page.ts";
import { useConsole } from "./use-console.ts";

const { stack, env, service, url, key, ada, browser, publish, start, statusOf, reach } = await useConsole();

/** The text of the run's output as it is shown. */
const shownText = (page: Page): Promise<string> => page.getByRole("tabpanel").innerText();

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
