import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { withStack } from "../../../bench/with-stack.ts";
import { openBrowser } from "../../../dev/browser.ts";
import { projectFolder } from "../../../dev/reachable.ts";
import { runProcess } from "../../../shared/platform/lifecycle/run-process.ts";
import { makeWorld, type World } from "./world.ts";

/* `npm run pictures` draws docs/pictures/ from the console itself, in both themes. */

type Shot = { name: string; take: (page: Page, world: World) => Promise<void> };

const go = (page: Page, path: string): Promise<unknown> => page.goto(`/console${path}`);

const shots: Shot[] = [
  {
    name: "run",
    async take(page) {
      await startResearch(page);
      await page.getByRole("link", { name: /Open/ }).first().click();
      await page.getByText("left open").waitFor();
    },
  },
  {
    name: "runs",
    async take(page, { asks }) {
      await go(page, "/runs");
      await page.getByTitle(asks).waitFor();
      await page
        .getByRole("link", { name: /48 hours|runs, / })
        .nth(20)
        .waitFor({ state: "attached" });
    },
  },
  {
    name: "play",
    async take(page) {
      await startResearch(page);
      await page.getByText("left open").waitFor();
    },
  },
  {
    name: "diff",
    async take(page) {
      await go(page, "/agents/invoice-reader/versions/1.1.0/diff?against=1.0.0");
      await page.locator("[data-kind=added]").first().waitFor();
    },
  },
  {
    name: "thread",
    async take(page, { thread }) {
      await go(page, `/threads/${thread}`);
      await page.getByText("Note for the parcel").waitFor();
    },
  },
  {
    name: "studio",
    async take(page) {
      await go(page, "/studio?last=24h");
      await page.getByText("How runs ended").waitFor();
    },
  },
];

/** Fills in the playground's form and runs the agent. */
async function startResearch(page: Page): Promise<void> {
  await go(page, "/agents/researcher/play");
  await page.getByLabel("Question").fill("How do runs resume after a worker died?");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("A stream survives").waitFor({ timeout: 30_000 });
}

const size = { width: 1440, height: 900 };

async function draw(browser: Browser, url: string, world: World): Promise<void> {
  const folder = join(projectFolder(), "docs/pictures");
  mkdirSync(folder, { recursive: true });
  for (const theme of ["light", "dark"] as const) {
    const context = await browser.newContext({
      baseURL: url,
      colorScheme: theme,
      viewport: size,
      reducedMotion: "reduce",
    });
    for (const { name, take } of shots) {
      const page = await context.newPage();
      await take(page, world);
      await page.evaluate("document.fonts.ready");
      await page.mouse.move(0, 0);
      const picture = await capture(context, page);
      writeFileSync(join(folder, `${name}-${theme}.webp`), picture);
      console.log(`${name}-${theme}.webp: ${(picture.length / 1024).toFixed(0)} KiB`);
      await page.close();
    }
    await context.close();
  }
}

/** A third of a PNG's bytes. */
async function capture(context: BrowserContext, page: Page): Promise<Buffer> {
  const protocol = await context.newCDPSession(page);
  const { data } = await protocol.send("Page.captureScreenshot", { format: "webp", quality: 88 });
  return Buffer.from(data, "base64");
}

await runProcess((signal) =>
  withStack(signal, { WORKERS: "1", PORT: "18097" }, async (stack) => {
    const world = await makeWorld(stack);
    await fetch(`${stack.url}/v1/internal/jobs/rollup-analytics`, { method: "POST" });
    const browser = await openBrowser();
    try {
      await draw(browser, stack.url, world);
    } finally {
      await browser.close();
    }
  }),
);
