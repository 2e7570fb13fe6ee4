import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, execute, readEvents } from "../../harness/client.ts";
import { readDocument } from "../../docs/read-documents.ts";
import { makeKey } from "../../harness/make-key.ts";
import { openBrowser } from "../../../dev/browser.ts";
import { py } from "../../harness/py.ts";
import { openReceiver } from "../../harness/receiver.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url, api, worker } = await stack.startMembers({
  api: { AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: randomBytes(32).toString("hex"), LOG_LEVEL: "info" },
  worker: { LOG_LEVEL: "info" },
});
const headersOf = async (user: string, scopes: string[]) => ({
  authorization: `Bearer ${await makeKey(stack, user, scopes)}`,
});
const ada = await headersOf("ada", ["*"]);

const source = py`
  from runfleet import interrupt
  def main(i):
      asked = {k: i[k] for k in ("reason", "response_schema", "expires_in_ms") if k in i}
      return {"answer": interrupt(i.get("message"), **asked)}
`;
async function makeAgent(config: Record<string, unknown> = {}): Promise<string> {
  const made = await call(url, "POST", "/v1/agents", { user_id: "ada", name: "a", config: { source, ...config } }, ada);
  return String(made.body["id"]);
}
const agent_id = await makeAgent();

const get = async (path: string, headers = ada) => (await call(url, "GET", path, undefined, headers)).body;

/** Starts a run that asks. Returns its id and the address of its page. */
async function ask(input_payload: Record<string, unknown>, agent = agent_id): Promise<{ runId: string; page: string }> {
  const body = { agent_id: agent, version: "current", input_payload };
  const run = await execute(url, body, { ...ada, prefer: "wait=20" });
  const { id, interrupts } = (await run.json()) as { id: string; interrupts: object[] };
  expect(interrupts).toHaveLength(1);
  const told = (await get(`/v1/runs/${id}`))["interrupts"] as { answer_url?: string }[];
  return { runId: id, page: told[0]?.answer_url === undefined ? "" : `${url}${told[0].answer_url}` };
}

const form = (fields: Record<string, string>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields),
  redirect: "manual",
});
const resultOf = (runId: string) =>
  waitFor(async () => {
    const run = await get(`/v1/runs/${runId}`);
    return run["completed_at"] === null ? null : (run["result_content"] as { answer: unknown }).answer;
  }, 20_000);
const stateOf = async (runId: string) =>
  (
    await stack.sql.query(
      "SELECT r.status, r.attempt, i.answered_at, i.answered_by FROM runs r JOIN interrupts i ON i.run_id = r.id WHERE r.id = $1",
      [runId],
    )
  ).rows[0] as Record<string, unknown>;

test("the address is told to who may resume the run: its record, the webhook and the notification, and to no reader", async () => {
  const receiver = await openReceiver();
  const events = ["run.interrupted", "notification.run.interrupted"];
  const hook = await call(url, "POST", "/v1/webhooks", { url: receiver.url, events }, ada);
  const bodies = `/v1/webhooks/${String(hook.body["id"])}/deliveries?include=payload`;
  const { runId, page } = await ask({ message: "Go on?" });
  const path = page.slice(url.length);
  expect(path).toMatch(/^\/answer\/k1\.[\w-]+\.[\w-]{43}$/);
  await waitFor(() => receiver.got.length === 2, 20_000);
  for (const { body } of receiver.got) {
    const { interrupts, data } = body as { interrupts?: object[]; data?: { data: { interrupts: object[] } } };
    expect(interrupts ?? data?.data.interrupts).toMatchObject([{ message: "Go on?", answer_url: path }]);
  }
  await receiver.close();
  const notification = async (headers = ada) => {
    const { data } = await get(`/v1/notifications?run_id=${runId}`, headers);
    return (data as { id: string; dedup_key: string }[])[0];
  };
  const told = await notification();
  expect(told).toMatchObject({ data: { interrupts: [{ answer_url: path }] } });
  expect(JSON.stringify(await get(bodies)).split(path)).toHaveLength(3);

  const reader = await headersOf("ada", ["runs:read", "notifications:read", "notifications:write"]);
  const made = await call(url, "POST", "/v1/users/me/api-keys", { run_id: runId }, ada);
  const token = { authorization: `Bearer ${String(made.body["key"])}` };
  const seen = [
    await get(`/v1/runs/${runId}`, reader),
    await get(`/v1/runs/${runId}`, token),
    await get(`/v1/runs?limit=100`),
    await get(`/v1/runs/${runId}/events`),
    await get(`/v1/interrupts`, reader),
    await get(bodies, reader),
    await notification(reader),
    await get(`/v1/notifications/${told?.id}`, reader),
    (await call(url, "PUT", `/v1/notifications/${told?.id}`, { read: true }, reader)).body,
    (await call(url, "POST", "/v1/notifications", { type: "t", title: "T", dedup_key: told?.dedup_key }, reader)).body,
  ];
  for (const one of seen) {
    expect(JSON.stringify(one)).toContain(runId);
    expect(JSON.stringify(one)).not.toContain("/answer/");
  }
  const stream = await fetch(`${url}/v1/runs/${runId}/stream?after=0-0`, { headers: ada });
  expect(JSON.stringify(await readEvents(stream, ({ event }) => event === "run.interrupted"))).not.toContain(
    "/answer/",
  );
});

test("a key makes and redirects webhooks only for events that it may read, and for questions only if it may answer them", async () => {
  const to = { url: "https://example.com/" };
  const make = async (scopes: string[], events?: string[]) =>
    (await call(url, "POST", "/v1/webhooks", { ...to, events }, await headersOf("ada", scopes))).status;
  expect(await make(["notifications:write"])).toBe(403);
  for (const [scope, allowed, refused] of [
    [
      "runs:read",
      ["run.success", "run.queued"],
      ["run.*", "run.interrupted", "daemon.failed", "notification.run.error"],
    ],
    ["daemons:read", ["daemon.*"], ["run.success", "*"]],
    ["notifications:read", ["notification.run.error"], ["notification.*", "notification.run.interrupted"]],
  ] as const) {
    expect(await make(["notifications:write"], [...allowed])).toBe(403);
    expect(await make(["notifications:write", scope], [...allowed])).toBe(201);
    for (const event of refused) expect(await make(["notifications:write", scope], [allowed[0], event])).toBe(403);
  }
  const { body: made } = await call(url, "POST", "/v1/webhooks", { ...to, events: ["run.interrupted"] }, ada);
  const reader = await headersOf("ada", ["notifications:write", "runs:read"]);
  const change = (patch: object, headers = reader) =>
    call(url, "PATCH", `/v1/webhooks/${String(made["id"])}`, patch, headers);
  for (const patch of [{ url: "https://example.org/" }, { events: ["run.*"] }, { events: ["run.error"], ...to }])
    expect(await change(patch)).toMatchObject({ status: 403, body: { code: "missing_scope" } });
  expect((await change({ status: "paused" })).status).toBe(200);
  expect((await change({ url: "https://example.org/" }, ada)).status).toBe(200);
});

test("opening the page decides nothing, 50 times over; forged, cut and foreign addresses are none", async () => {
  const { runId, page } = await ask({ message: "Go on?" });
  const before = await stateOf(runId);
  const opened = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      fetch(n % 2 ? `${page}?utm_source=mail&x[]=1` : page, {
        method: n % 5 === 0 ? "HEAD" : "GET",
        headers: { "user-agent": "SafeLinks/1.0", purpose: "prefetch" },
      }),
    ),
  );
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
  for (const method of ["PUT", "DELETE", "PATCH"]) expect((await fetch(page, { method })).status).toBe(405);
  expect(await stateOf(runId)).toEqual(before);

  const { headers } = opened[1] ?? { headers: new Headers() };
  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; style-src 'sha256-[\w+/]{43}='$/,
  );
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-robots-tag")).toContain("noindex");

  const token = page.slice(page.lastIndexOf("/") + 1);
  const [id = "", said = "", mac = ""] = token.split(".");
  const other = Buffer.from(JSON.stringify(["run_x", "int_x"])).toString("base64url");
  const forged = [
    ...Array.from({ length: 20 }, (_, n) => token.slice(0, -1 - n)),
    // Each third character is another one.
    ...[...token].flatMap((char, at) =>
      at % 3 === 0 ? [`${token.slice(0, at)}${char === "A" ? "B" : "A"}${token.slice(at + 1)}`] : [],
    ),
    `${id}.${other}.${mac}`,
    `k2.${said}.${mac}`,
    `${id}.${said}.`,
    `${id}.${said}.${mac}.${mac}`,
    `${token}=`,
    "x",
    "%00",
    "a".repeat(1_000),
    "..%2f..%2fv1%2fruns",
  ];
  for (const one of forged)
    for (const init of [{}, form({ "answer/": "yes" })]) {
      const { status } = await fetch(`${url}/answer/${one}`, init);
      expect([one, status === 404 || status === 422]).toEqual([one, true]);
    }
  expect(await stateOf(runId)).toEqual(before);
});

test("an answer resumes the run once; the page then says who answered, and everybody else is told", async () => {
  const { runId, page } = await ask({ message: "Which?", response_schema: { type: "string", maxLength: 20 } });
  const [one, two] = await Promise.all([
    fetch(page, form({ "answer/": "red", name: "Ada  \u202eL" })),
    fetch(page, form({ "answer/": "blue", name: "Grace" })),
  ]);
  const statuses = [one.status, two.status].toSorted();
  expect(statuses).toEqual([303, 409]);
  const [winner, loser] = one.status === 303 ? [one, two] : [two, one];
  const [colour, name] = winner === one ? ["red", "Ada L"] : ["blue", "Grace"];
  expect(winner.headers.get("location")).toBe(`./${page.slice(page.lastIndexOf("/") + 1)}`);
  const late = await loser.text();
  expect(late).toContain(`Answered by <bdi>answer page (${name})</bdi> on <time datetime="20`);
  expect(late).toContain("Your answer came later and does not count.");
  expect(await resultOf(runId)).toBe(colour);
  const shown = await (await fetch(page)).text();
  expect(shown).toContain(`answer page (${name})`);
  expect(shown).not.toContain("<form");
  expect((await fetch(page, form({ "answer/": "green" }))).status).toBe(409);
  const timeline = JSON.stringify(await get(`/v1/runs/${runId}/timeline`));
  expect(timeline).toContain(`answer page (${name})`);
  const audit = await stack.sql.query("SELECT * FROM audit_log WHERE action = 'answer_question' AND target_id = $1", [
    runId,
  ]);
  expect(audit.rows).toMatchObject([{ actor: "answer page", user_id: "ada" }]);
});

test("what is wrong with an answer is told at its field, with what was sent; the schema itself has the last word", async () => {
  const response_schema = {
    type: "object",
    required: ["mail", "n"],
    properties: { mail: { type: "string", pattern: "^[^@]+@[^@]+$" }, n: { type: "integer" } },
  };
  const { runId, page } = await ask({ message: "Who?", response_schema });
  const wrong = await fetch(page, form({ "answer/mail": "<b>no</b>", "answer/n": "x" }));
  expect(wrong.status).toBe(422);
  const text = await wrong.text();
  expect(text).toContain("Enter a number, such as 12.");
  expect(text).toContain("&lt;b&gt;no&lt;/b&gt;");
  expect(text).toContain('role="alert"');
  const refused = await fetch(page, form({ "answer/mail": "no", "answer/n": "1" }));
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining("f616e737765722f6d61696c-fault"),
  ]);
  expect((await stateOf(runId))["status"]).toBe("interrupted");
  expect((await fetch(page, form({ "answer/mail": "a@b", "answer/n": "1" }))).status).toBe(303);
  expect(await resultOf(runId)).toEqual({ mail: "a@b", n: 1 });
});

test("a question that is over takes no answer: expired, cancelled, answered elsewhere, deleted", async () => {
  const expired = await ask({ message: "Soon over", expires_in_ms: 3_600_000 });
  await stack.sql.query("UPDATE interrupts SET expires_at = now() WHERE run_id = $1", [expired.runId]);
  const cancelled = await ask({ message: "Not needed" });
  await call(url, "POST", `/v1/runs/${cancelled.runId}/cancel`, undefined, ada);
  const elsewhere = await ask({ message: "By key" });
  await call(url, "POST", `/v1/runs/${elsewhere.runId}/resume`, { response: 1 }, { ...ada, prefer: "respond-async" });
  const said = {
    [expired.page]: "Its time is over",
    [cancelled.page]: "cancelled",
    [elsewhere.page]: "Answered by <bdi>key_",
  };
  for (const [page, words] of Object.entries(said)) {
    const shown = await fetch(page);
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining(words)]);
    expect((await fetch(page, form({ "answer/": "yes" }))).status).toBe(409);
  }
  await call(url, "DELETE", `/v1/runs/${cancelled.runId}`, undefined, ada);
  expect((await fetch(cancelled.page)).status).toBe(404);
});

test("answer_page: key asks for a key that may resume the run, and off has no page", async () => {
  const { runId, page } = await ask(
    { message: "Pay?", reason: "approval_required" },
    await makeAgent({ answer_page: "key" }),
  );
  const keyed = async (key: string) => fetch(page, form({ verdict: "approve", key }));
  const keys = {
    nothing: "",
    nonsense: "rf_x",
    stranger: await makeKey(stack, "eve"),
    reader: await makeKey(stack, "ada", ["runs:read"]),
  };
  for (const [name, key] of Object.entries(keys)) expect([name, (await keyed(key)).status]).toEqual([name, 422]);
  expect((await stateOf(runId))["answered_at"]).toBeNull();
  const good = await makeKey(stack, "ada", ["runs:write"]);
  const wrong = await (await fetch(page, form({ verdict: "maybe", key: good }))).text();
  expect(wrong).not.toContain(good);
  expect((await keyed(good)).status).toBe(303);
  expect(await resultOf(runId)).toEqual({ approved: true });
  expect((await stateOf(runId))["answered_by"]).toMatch(/^key_/);
  const off = await makeAgent({ answer_page: "off" });
  expect((await ask({ message: "x" }, off)).page).toBe("");
  const bad = await call(
    url,
    "POST",
    "/v1/agents",
    { user_id: "ada", name: "a", config: { source, answer_page: "open" } },
    ada,
  );
  expect(bad.status).toBe(422);
});

test("no log has the address; a form from another site needs it like everybody", async () => {
  const { runId, page } = await ask({ message: "Quiet?" });
  const token = page.slice(page.lastIndexOf("/") + 1);
  const sent = {
    ...form({ "answer/": "yes" }),
    headers: { origin: "null", "sec-fetch-site": "cross-site", referer: page },
  };
  expect((await fetch(page, sent)).status).toBe(303);
  expect(await resultOf(runId)).toBe("yes");
  await waitFor(() => api.logged().includes('"route":"/answer/{token}"'), 5_000);
  for (const member of [api, worker]) expect(member.logged()).not.toContain(token);
  const large = await fetch(page, { method: "POST", body: "x".repeat(300_000) });
  expect(large.status).toBe(413);
});

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)("the page's commands do what it says", async () => {
  const { blocks } = readDocument("docs/answers.md");
  const made = await call(
    url,
    "POST",
    "/v1/agents",
    { user_id: "ada", name: "a", config: { source: blocks.find(({ language }) => language === "py")?.code } },
    ada,
  );
  const { runId } = await ask({}, String(made.body["id"]));
  const commands = (blocks.find(({ language }) => language === "sh")?.code ?? "")
    .replaceAll("localhost:8080", url)
    .replaceAll("curl ", `curl -sS --fail-with-body -H 'authorization: ${ada.authorization}' `);
  const { stdout } = await promisify(execFile)("bash", ["-euc", commands], { env: { ...stack.env, RUN: runId } });
  expect(stdout).toContain("Pay the invoice? (needed)");
  expect(stdout).toContain("Answered by <bdi>answer page (Ada)</bdi>");
  const done = await waitFor(async () => {
    const run = await get(`/v1/runs/${runId}`);
    return run["completed_at"] === null ? null : run;
  }, 20_000);
  expect(done["result_content"]).toEqual({ approved: true, note: "Go ahead" });
});

let browser: Browser;
beforeAll(async () => (browser = await openBrowser()), 120_000);
afterAll(() => browser?.close());

/** Opens a page as somebody without scripts. What the browser complains of is a fault. */
async function visit(
  address: string,
  colorScheme: "light" | "dark" = "light",
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ javaScriptEnabled: false, colorScheme });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && faults.push(message.text())));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/answer/`)) faults.push(`asked for ${request.url()}`);
    const { referer } = request.headers();
    if (referer !== undefined) faults.push(`told its address: ${referer}`);
  });
  await page.goto(address);
  return { page, faults };
}

const trip = {
  type: "object",
  required: ["city", "nights", "breakfast"],
  properties: {
    city: { enum: ["Rome", "Oslo"], title: "Where to?" },
    nights: { type: "integer", minimum: 1 },
    breakfast: { type: "boolean", title: "With breakfast?" },
    extras: { type: "array", items: { enum: ["sauna", "bikes"] } },
    guest: { type: "object", properties: { name: { type: "string", maxLength: 50, title: "Guest" } } },
  },
};

test("in a browser without scripts, by keyboard alone: fill in the form, be told what is missing, send it, see who answered", async () => {
  const { runId, page: address } = await ask({ message: "Where do we go?\nTake your time.", response_schema: trip });
  const { page, faults } = await visit(address);
  expect(await page.locator(".shown").innerText()).toBe("Where do we go?\nTake your time.");
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  // Radio buttons take the arrows, checkboxes the space bar.
  await press("Tab", "Space", "ArrowDown", "Tab");
  await page.keyboard.type("3");
  await press("Tab", "Space", "Tab", "Space", "Tab", "Tab");
  await page.keyboard.type("Grace");
  await press("Tab");
  await page.keyboard.type("Ada");
  await press("Tab", "Enter");
  await page.waitForURL(address);
  await page.getByRole("heading", { name: "The question is answered" }).waitFor();
  expect(await page.locator("main").innerText()).toContain("Answered by answer page (Ada) on");
  expect(await resultOf(runId)).toEqual({
    city: "Oslo",
    nights: 3,
    breakfast: true,
    extras: ["sauna"],
    guest: { name: "Grace" },
  });
  expect(faults).toEqual([]);
  await page.context().close();
});

test("every control has a name, what is wrong is said beside it, and both colour schemes can be read", async () => {
  const { page: address } = await ask({ message: "Where to?", response_schema: trip });
  const grounds: string[] = [];
  for (const scheme of ["light", "dark"] as const) {
    const { page, faults } = await visit(address, scheme);
    await page.getByRole("group", { name: "Where to? (needed)" }).waitFor();
    for (const name of ["nights (needed)", "Guest", "Your name"]) expect(await page.getByLabel(name).count()).toBe(1);
    expect(await page.getByRole("button", { name: "Send the answer" }).count()).toBe(1);
    const { ground, contrasts } = await page.evaluate<Measured>(measureContrast);
    grounds.push(ground);
    for (const { what, ratio } of contrasts) expect([what, ratio >= 4.5]).toEqual([what, true]);
    // Wide and narrow, nothing is cut off.
    await page.setViewportSize({ width: 320, height: 600 });
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    expect(faults).toEqual([]);
    await page.context().close();
  }
  expect(new Set(grounds).size).toBe(2);
});

type Measured = { ground: string; contrasts: { what: string; ratio: number }[] };

/** Runs in the page: returns the contrast of each text to the ground behind it, by WCAG's formula. */
const measureContrast = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = channels(color).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (channels(backgroundColor)[3] !== 0) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = [...document.querySelectorAll("h1, p, .shown, legend, label, .hint, button, input, textarea")];
  const contrasts = texts.map((element) => {
    const [one, two] = [light(getComputedStyle(element).color), light(groundOf(element))];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    return { what: element.tagName + " " + element.textContent.slice(0, 30), ratio };
  });
  return { ground: groundOf(document.body), contrasts };
})()`;

test("what a hostile agent shows stays text in a browser that runs scripts", async () => {
  const evil = `</div><script>document.title="pwned"</script><img src=/pwned onerror="document.title='pwned'"><a href="javascript:document.title='pwned'">x</a><form action="https://evil.example">`;
  const { page: address } = await ask({
    message: evil,
    response_schema: {
      type: "object",
      properties: { [evil]: { type: "string", title: evil, description: evil, default: evil } },
    },
  });
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(request.url()));
  await page.goto(address);
  expect(await page.title()).toBe("A question of an agent");
  expect(await page.locator(".shown").innerText()).toContain('<script>document.title="pwned"</script>');
  expect(await page.locator("img, a, script, iframe").count()).toBe(0);
  expect(await page.locator("form").count()).toBe(1);
  // Even markup that got in would run nothing and send nothing elsewhere.
  await page.evaluate(
    `const form = document.createElement("form"); form.action = "https://evil.example/"; document.body.append(form); form.submit();`,
  );
  expect(asked.filter((one) => !one.startsWith(address))).toEqual([]);
  await page.close();
});
