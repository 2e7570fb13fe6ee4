import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { hasSeries, readAlerts, readDashboardQueries, seriesOf } from "./named-series.ts";

/** Whoever is woken by an alert knows what it means and what to do. That each alert fires is promtool's to try: npm run alerts. */
const alerts = readAlerts();

test("each alert has its section in the runbook, and each section its alert", () => {
  const sections = readFileSync("docs/runbook.md", "utf8").matchAll(/^## (\w+)$/gm);
  expect([...sections].map(([, name]) => name).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
});

test("each alert says how bad it is, what is wrong and how much", () => {
  expect(alerts.length).toBeGreaterThan(15);
  for (const { alert, labels, annotations } of alerts) {
    expect([alert, ["warning", "critical"].includes(labels["severity"] ?? "")]).toEqual([alert, true]);
    expect([alert, typeof annotations["summary"], typeof annotations["description"]]).toEqual([
      alert,
      "string",
      "string",
    ]);
  }
});

test("each alert is tried both ways: promtool sees it fire, and stay quiet", () => {
  const { tests } = parse(readFileSync("test/deploy/alerts.promtool.yaml", "utf8")) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const tried = tests.flatMap(({ alert_rule_test: each }) =>
    each.map(({ alertname, exp_alerts }) => `${alertname} ${exp_alerts.length > 0}`),
  );
  expect(tried.toSorted()).toEqual(alerts.flatMap(({ alert }) => [`${alert} false`, `${alert} true`]).toSorted());
});

test("no query reads what every API tells without saying that it is told several times", () => {
  const ofFleet = /sum[^(]*\([^)]*runfleet_(queue|runs|workers|worker_slots|demand|job|duty_age)/;
  expect([...alerts.map(({ expr }) => expr), ...readDashboardQueries()].filter((query) => ofFleet.test(query))).toEqual(
    [],
  );
});

test("a query's series are found with their labels", () => {
  const [series] = seriesOf('max(runfleet_queue_oldest_seconds{queue="runs"}) > 30');
  expect(series).toEqual({ metric: "runfleet_queue_oldest_seconds", labels: [["queue", "runs"]] });
  const named = { metric: "a", labels: [["b", "c"]] as [string, string][] };
  expect([hasSeries('a{b="c"} 1', named), hasSeries('a{b="d"} 1', named), hasSeries("ab 1", named)]).toEqual([
    true,
    false,
    false,
  ]);
});
