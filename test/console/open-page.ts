import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page, Response } from "playwright-core";
import { onTestFinished } from "vitest";
import { timeLimit } from "../harness/time-limit.ts";
import { waitFor } from "../harness/wait-for.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** WCAG 2.2 AA. */
const allRules: Rules = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };

/** The scopes of a key that may see the fleet. */
export const operator = ["*", "admin", "internal"];

export type Console = {
  page: Page;
  context: BrowserContext;
  /** Opens a page of the console by its path below /console. */
  open: (path: string) => Promise<void>;
  /** Goes to another page of the console as a link does, without loading it anew, and waits until that page stands there. */
  go: (path: string) => Promise<void>;
  /** What the page has said that it should not: errors in its console, faults of scripts, breaches of its policy. */
  faults: string[];
  /** Returns what of the page, or of a part of it, people with other senses or hands can't use. */
  barriers: (rules?: Rules, part?: string) => Promise<string[]>;
};

type Rules = { type: "tag" | "rule"; values: string[] };

type Given = { url: string; key?: string; theme?: "light" | "dark" };

/** Opens the console in a context of its own, which ends with the test. With a key it is signed in, and no page is open yet. */
export async function openConsole(browser: Browser, { url, key, theme = "light" }: Given): Promise<Console> {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width: 1440, height: 900 } });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(timeLimit(15_000));
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', (e) => console.error(`policy ${e.violatedDirective} ${e.blockedURI}`))",
  );
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && faults.push(message.text())));
  page.on("pageerror", (error) => void faults.push(String(error)));
  const open = async (path: string): Promise<void> => void (await page.goto(`${url}/console${path}`));
  const go = async (path: string): Promise<void> => {
    const said = await page.title();
    const changes = await page.evaluate<boolean>(
      `(() => { const from = location.pathname; history.pushState({}, "", ${JSON.stringify(`/console${path}`)}); return location.pathname !== from; })()`,
    );
    // Each page has a title of its own, which it gets together with its content.
    if (changes) await waitFor(async () => (await page.title()) !== said);
  };
  // One test signs in as people do. The others get the same cookie without loading a page for it.
  if (key !== undefined) {
    const answer = await context.request.post(`${url}/v1/sessions`, { data: { key } });
    if (!answer.ok()) throw new Error(`Signing in was answered ${answer.status()}.`);
  }
  return { page, context, open, go, faults, barriers: (rules = allRules, part) => barriersOf(page, rules, part) };
}

/** Comes back to the page until it has asked anew for something: it does so for what is older than two seconds. */
export async function comeBack(page: Page, path: string): Promise<void> {
  let isAnswered = false;
  const note = (response: Response): void => void (isAnswered ||= new URL(response.url()).pathname === path);
  page.on("response", note);
  await waitFor(async () => {
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    return isAnswered;
  });
  page.off("response", note);
}

async function barriersOf(page: Page, rules: Rules, part = "html"): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe);
  const look = { part, runOnly: rules };
  return page.evaluate(async ({ part, runOnly }) => {
    const { axe: tool } = globalThis as unknown as { axe: { run(part: string, options: object): Promise<Found> } };
    type Found = { violations: { id: string; nodes: { html: string }[] }[] };
    // Of what passes nothing is told: naming each element took as long as looking at it.
    const { violations } = await tool.run(part, {
      runOnly,
      resultTypes: ["violations"],
      selectors: false,
      preload: false,
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  }, look);
}
