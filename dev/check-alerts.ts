import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Checks the alerts and the queries of the dashboards, and tries each alert. Needs promtool. */
const files = "deploy/chart/files";

function promtool(...args: string[]): boolean {
  const { status, error } = spawnSync("promtool", args, { stdio: "inherit" });
  if (error) console.error(`promtool can't be started (${error.message}). Debian has it in the package prometheus.`);
  return status === 0;
}

type Panel = { title: string; targets?: { expr: string }[] };

/** Promtool knows no dashboards, so each of their queries becomes a rule. */
function rulesOfDashboards(): string {
  const folder = join(files, "dashboards");
  const dashboards = readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as { panels: Panel[] },
  );
  const queries = dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets ?? []));
  const rules = queries.map(({ expr }, nth) => ({ record: `query_${nth}`, expr }));
  return JSON.stringify({ groups: [{ name: "dashboards", rules }] });
}

const folder = mkdtempSync(join(tmpdir(), "runfleet-alerts-"));
try {
  const queries = join(folder, "dashboards.yaml");
  writeFileSync(queries, rulesOfDashboards());
  const passed = [
    promtool("check", "rules", join(files, "alerts.yaml"), queries),
    promtool("test", "rules", "test/deploy/alerts.promtool.yaml"),
  ];
  process.exitCode = passed.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
