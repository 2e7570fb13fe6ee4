import type { Request, Route } from "playwright-core";
import { expect, test } from "vitest";
import { call } from "../harness/client.ts";
import { makeKey } from "../harness/make-key.ts";
import { py } from "../harness/py.ts";
import { waitFor } from "../harness/wait-for.ts";
import { comeBack, openConsole, operator } from "./open-page.ts";
import { useConsole } from "./use-console.ts";

const { stack, url, key, ada, browser, publish, start, reach } = await useConsole();

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
