import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../dev/browser.ts";
import { startPostgres } from "../dev/postgres.ts";
import { reachableFolder } from "../dev/reachable.ts";
import { quantile } from "./quantile.ts";
import { seedRuns } from "./seed-runs.ts";
import { withStack } from "./with-stack.ts";

const rounds = 10;
/** A run may send 100,000 events, and some are not of its log. */
const logLines = 99_900;

/** Measures the console in a browser: the list of runs over `runs` runs, and the page of a run with as many log lines as a run may have. */
export async function benchConsole(runs: number, signal: AbortSignal): Promise<string> {
  const dataDir = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "console-"));
  const postgres = await startPostgres({ dataDir, fsync: false });
  const browser = await openBrowser();
  try {
    await seedRuns(postgres.url, runs, () => {});
    const settings = { DATABASE_URL: postgres.url, WORKERS: "1", RETENTION_DAYS: "36500" };
    return await withStack(signal, settings, async ({ url }) => {
      const lists = await timeLists(browser, url);
      const log = await timeLog(browser, url);
      return [`| ${runs} runs, ${logLines} log lines | median | max |`, "|---|---|---|", ...lists, ...log].join("\n");
    });
  } finally {
    await browser.close();
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const lists: [name: string, path: string][] = [
  ["list of runs", "/runs"],
  ["… of a quiet agent", "/runs?agent_id=agent-199"],
  ["… that failed", "/runs?status=%5B%22error%22%5D"],
  ["… with a text", "/runs?search=number%2017"],
];

/** Until the first row can be used, each time in a page that has nothing cached. */
async function timeLists(browser: Browser, url: string): Promise<string[]> {
  const rows: string[] = [];
  for (const [name, path] of lists) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      const at = performance.now();
      await page.goto(`${url}/console${path}`, { waitUntil: "commit" });
      await page.locator("[data-row]").first().waitFor();
      times.push(performance.now() - at);
      await page.close();
    }
    rows.push(`| ${name}, to its rows | ${quantile(times, 0.5).toFixed(0)} ms | ${Math.max(...times).toFixed(0)} ms |`);
  }
  return rows;
}

const source = `from runfleet import log
def main(lines: int):
    for line in range(lines):
        log(f"line {line}")
`;

async function timeLog(browser: Browser, url: string): Promise<string[]> {
  const post = async (path: string, body: object): Promise<{ id: string; status: string }> => {
    const headers = { "content-type": "application/json", prefer: "wait=300" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string; status: string };
  };
  await post("/v1/agents", { user_id: "bench", id: "logger", name: "logger", config: { source } });
  const input_payload = { lines: logLines };
  const { id, status } = await post("/v1/execute", { agent_id: "logger", version: "current", input_payload });
  if (status !== "success") throw new Error(`The run with the log ended as ${status}.`);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const at = performance.now();
  await page.goto(`${url}/console/runs/${id}?tab=log`);
  const count = logLines.toLocaleString("en");
  await page.getByText(`${count} lines`).waitFor({ timeout: 300_000 });
  const all = performance.now() - at;
  const rows = await page.getByRole("list", { name: "Log lines" }).getByRole("listitem").count();
  const search = await timeSearch(page);
  const heap = await heapOf(page);
  await page.close();
  return [
    `| log, until all ${count} lines are there | ${(all / 1_000).toFixed(1)} s | |`,
    `| … a search in it | ${search.toFixed(0)} ms | |`,
    `| … rows in the page | ${rows} | |`,
    `| … memory of the page's script | ${(heap / 1_048_576).toFixed(0)} MiB | |`,
  ];
}

async function timeSearch(page: Page): Promise<number> {
  const at = performance.now();
  await page.getByLabel("Search the log").fill("line 54321");
  await page.getByText("1 line", { exact: true }).waitFor();
  return performance.now() - at;
}

async function heapOf(page: Page): Promise<number> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("HeapProfiler.collectGarbage");
  return (await protocol.send("Runtime.getHeapUsage")).usedSize;
}
