import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { call } from "../harness/client.ts";
import { makeKey } from "../harness/make-key.ts";
import { waitFor } from "../harness/wait-for.ts";
import { type Console, openConsole, operator } from "./open-page.ts";
import { useConsole } from "./use-console.ts";

const { stack, url, key, ada, browser, publish, start, reach } = await useConsole();

/** Each screen, with what says that it is there. */
const screens: [path: string, shown: string][] = [
  ["/welcome", "Publish and run"],
  ["/approve?port=1&state=ab&name=laptop", "asks for an API key"],
  ["/agents", "greeter"],
  ["/agents/greeter", "Last runs"],
  ["/agents/greeter/play", "Your name"],
  ["/agents/greeter/versions", "1.0.0"],
  ["/agents/greeter/versions/1.0.0", "main.py"],
  ["/agents/greeter/versions/1.0.0/diff?against=1.0.0", "Nothing differs"],
  ["/agents/greeter/settings", "Limits"],
  ["/agents/greeter/daemon", "Start"],
  ["/threads", "chat-1"],
  ["/threads/chat-1", "You said one."],
  ["/inbox", "Notifications"],
  ["/schedules", "Each morning"],
  ["/daemons", "No daemons yet"],
  ["/studio", "How runs ended"],
  ["/errors?state=all", "always"],
  ["/webhooks", "127.0.0.1"],
  ["/account", "Callback secret"],
  ["/billing", "Spend limits"],
  ["/billing?tab=usage", "Took"],
  ["/billing?tab=plans", "No plans yet"],
];
const fleet: [tab: string, shown: string][] = [
  ["Overview", "Slots busy"],
  ["Workers", "heard of"],
  ["Queues", "Callbacks and webhooks"],
  ["Dead letters", "No dead letters"],
  ["Users", "ada"],
  ["Costs", "Ran for"],
  ["Audit", "create"],
  ["Internal jobs", "rollup-analytics"],
  ["Config", "AUTH_MODE"],
];
/** What of a screen depends on the theme. */
const colours = { type: "rule" as const, values: ["color-contrast"] };

/** Returns what people with other senses or hands can't use of the page that is shown, or of a part of it, light and dark. */
async function barriersOf({ page, barriers }: Console, part?: string): Promise<string[]> {
  const light = await barriers(undefined, part);
  await page.evaluate("document.documentElement.dataset.theme = 'dark'");
  const dark = await barriers(colours, part);
  await page.evaluate("document.documentElement.dataset.theme = 'light'");
  return [...light, ...dark].map((barrier) => `${page.url()} ${barrier}`);
}

/** What lies beyond the page's edge, and can't be scrolled to, for somebody who reads at 200 %. */
async function beyondTheEdge(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: size.width / 2, height: size.height / 2 });
  const beyond = await page.evaluate<string[]>(`[...document.body.querySelectorAll("*")].filter((one) => {
    const { right, width, height } = one.getBoundingClientRect();
    if (right <= innerWidth + 1 || width < 2 || height < 2 || one.closest("[aria-hidden=true], svg, canvas")) return false;
    for (let up = one.parentElement; up && up !== document.body; up = up.parentElement)
      if (/auto|scroll/.test(getComputedStyle(up).overflowX) && up.getBoundingClientRect().right <= innerWidth + 1) return false;
    return one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }).slice(0, 3).map((one) => one.outerHTML.slice(0, 160))`);
  await page.setViewportSize(size);
  return beyond.map((one) => `${page.url()} at 200 %: ${one}`);
}

test("every screen, light and dark, and at 200 %: nobody is shut out, nothing is said to the console, the policy is kept", async () => {
  await publish("broken", 'def main():\n    raise ValueError("always")\n');
  const failed = await start("broken");
  await reach(failed, "error");
  const webhook = await call(url, "POST", "/v1/webhooks", { url: "http://127.0.0.1:9/all", events: ["*"] }, ada);
  const errors = await call(url, "GET", "/v1/studio/errors?agent_id=broken", undefined, ada);
  const { fingerprint } = (errors.body["data"] as { fingerprint: string }[])[0] ?? {};
  const things: [path: string, shown: string][] = [
    [`/errors/${fingerprint}`, "Traceback"],
    [`/webhooks/${String(webhook.body["id"])}`, "Deliveries"],
  ];
  const screen = await openConsole(browser, { url, key });
  const found: string[] = [];
  await screen.open("/runs");
  await screen.page.getByTitle(failed).waitFor();
  found.push(...(await barriersOf(screen)));
  const titles = new Map<string, string>();
  // What is around a page is the same on each.
  for (const [path, shown] of [...screens, ...things]) {
    await screen.go(path);
    await screen.page.getByRole("main").getByText(shown).first().waitFor();
    found.push(...(await barriersOf(screen, "main")), ...(await beyondTheEdge(screen.page)));
    titles.set(path.split("?")[0] ?? "", await screen.page.title());
  }
  expect(found).toEqual([]);
  // Tabs of a browser can be told apart.
  expect(new Set(titles.values()).size).toBe(titles.size);
  expect(screen.faults).toEqual([]);
});

test("every part of a run and of the fleet, light and dark: nobody is shut out, and nothing is said to the console", async () => {
  const id = await start("twice");
  await reach(id, "success");
  const screen = await openConsole(browser, { url, key: await makeKey(stack, "ada", operator) });
  const { page, open, go, faults } = screen;
  const found: string[] = [];
  await open(`/runs/${id}`);
  await page.getByRole("region", { name: "Timeline" }).getByText("attempt 2").waitFor();
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    await waitFor(async () => (await tab.getAttribute("aria-selected")) === "true");
    found.push(...(await barriersOf(screen, "main")));
  }
  expect(await page.title()).toMatch(/^success · Run …/);
  await go("/fleet/overview");
  for (const [tab, shown] of fleet) {
    await page.getByRole("tab", { name: tab }).click();
    await page.getByRole("main").getByText(shown).first().waitFor();
    found.push(...(await barriersOf(screen, "main")));
  }
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
});

/** What each screen shows, and the request that it begins with where it is about one thing. */
const asked: [path: string, ofThing: boolean, empty?: string][] = [
  ["/runs", false, "No runs yet"],
  ["/runs/run_x", true],
  ["/runs/run_x/vs/run_y", true],
  ["/agents", false, "No agents yet"],
  ["/agents/gone", true],
  ["/agents/greeter", true],
  ["/agents/greeter/play", true],
  ["/agents/greeter/versions", true],
  ["/agents/greeter/versions/1.0.0", true],
  ["/agents/greeter/versions/1.0.0/diff?against=1.0.0", true],
  ["/agents/greeter/settings", true],
  ["/agents/greeter/daemon", true],
  ["/threads", false, "No threads yet"],
  ["/threads/chat-1", true],
  ["/inbox", false, "No run asks"],
  ["/schedules", false, "No schedules yet"],
  ["/schedules/job_x", true],
  ["/daemons", false, "No daemons yet"],
  ["/studio", false, "No run in this time"],
  ["/errors", false, "No run has failed"],
  ["/errors/abc", true],
  ["/webhooks", false, "No webhooks yet"],
  ["/webhooks/wh_x", true],
  ["/account", false],
  ["/billing", false],
  ["/billing?tab=usage", false, "No usage yet"],
  ["/billing?tab=plans", false, "No plans yet"],
  ...fleet.map(([tab]): [string, boolean] => [`/fleet/${tab.toLowerCase().replaceAll(" ", "-")}`, false]),
];

test("each screen in each state: it waits, fails, has no right, is gone, has lost its service, is offline, and never says then that there is nothing", async () => {
  const { page, open, go, context } = await openConsole(browser, { url, key: await makeKey(stack, "ada", operator) });
  const main = page.getByRole("main");
  type Answer = "given" | "held" | "lost" | { status: number; code: string };
  let answer: Answer = "given";
  // Who is signed in and the agent of a page are known: what is asked for beside them is not.
  const isKnown = (path: string): boolean => ["/v1/sessions/current", "/v1/agents/greeter"].includes(path);
  await page.route(/\/(v1|health)\//, async (route) => {
    if (answer === "lost") return route.abort();
    if (answer === "given" || isKnown(new URL(route.request().url()).pathname)) return route.continue();
    if (answer === "held") return;
    const { status, code } = answer;
    return route.fulfill({ status, json: { detail: `It is ${code}.`, code, request_id: "req_1" } });
  });
  const wrong: string[] = [];
  const nothing = new RegExp(asked.flatMap(([, , empty]) => empty ?? []).join("|"));
  const lookAt = async (state: string, given: Answer, seen: Locator, which = asked): Promise<void> => {
    answer = "given";
    await open("/approve?port=1&state=ab&name=laptop");
    await main.getByText("asks for an API key").waitFor();
    answer = given;
    for (const [path] of which) {
      await go(path);
      const isSeen = await seen
        .first()
        .waitFor({ state: "attached" })
        .then(
          () => true,
          () => false,
        );
      if (!isSeen || (await main.getByText(nothing).count()) > 0)
        wrong.push(`${state}: ${path} says ${JSON.stringify(await main.innerText())}`);
    }
  };
  const failed = (status: number, code: string): Answer => ({ status, code });
  const heading = (name: string): Locator => main.getByRole("heading", { name });
  const things = asked.filter(([, ofThing]) => ofThing);
  await lookAt("loading", "held", main.getByRole("status").filter({ hasText: "Loading" }));
  await lookAt("error", failed(500, "internal_error"), main.getByText("internal_error · req_1"));
  await lookAt("no right", failed(403, "missing_scope"), heading("No right to see this"));
  await lookAt("gone", failed(404, "not_found"), heading("It is gone"), things);
  await lookAt("reconnecting", "lost", main.getByText("Connection lost"));
  await context.setOffline(true);
  for (const [path] of asked) {
    await go(path);
    await main.getByText("This machine is offline").waitFor();
  }
  expect(wrong).toEqual([]);
});

test("each list that is empty says what would be in it, and a new user is shown how to begin", async () => {
  const { page, open, go } = await openConsole(browser, { url, key: await makeKey(stack, "dora") });
  await open("/welcome");
  await page.getByRole("button", { name: "Publish and run" }).waitFor();
  for (const [path, , empty] of asked) {
    if (empty === undefined) continue;
    await go(path);
    await page.getByRole("main").getByText(empty).first().waitFor();
  }
});

test("a screen says when it waits for its data, when its thing is gone, when there is no right to it, and when the service fails", async () => {
  const other = await makeKey(stack, "bob", ["runs:read", "agents:read"]);
  const { page, open } = await openConsole(browser, { url, key: other });
  for (const path of ["/runs/run_gone", "/agents/gone", "/agents/gone/play", "/agents/gone/versions/1.0.0"]) {
    await open(path);
    await page.getByRole("heading", { name: "It is gone" }).first().waitFor();
  }
  await open("/agents");
  await page.getByRole("heading", { name: "No right to see this" }).waitFor();
  await page.getByText("missing_scope").waitFor();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/v1/runs?*", (route) => held.then(() => route.continue()));
  await open("/runs");
  await page.getByRole("status").getByText("Loading runs").waitFor();
  release();
  await page.getByText("No runs yet").waitFor();
  await page.unroute("**/v1/runs?*");
  await page.route("**/v1/runs?*", (route) =>
    route.fulfill({ status: 500, json: { detail: "broken", code: "internal_error", request_id: "req_1" } }),
  );
  await page.reload();
  await page.getByText("internal_error · req_1").waitFor();
  const again = page.getByRole("button", { name: "Try again" });
  await waitFor(async () => ((await again.boundingBox())?.height ?? 100) < 40);
  await page.unroute("**/v1/runs?*");
  await page.getByText("No runs yet").waitFor();
});
