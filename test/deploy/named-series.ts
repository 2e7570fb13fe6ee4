import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const files = "deploy/chart/files";

export type AlertRule = {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
};

export const readAlerts = (): AlertRule[] =>
  (parse(readFileSync(join(files, "alerts.yaml"), "utf8")) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );

type Panel = { title: string; type: string; targets?: { expr: string }[] };

/** Returns the queries of all dashboards. */
export const readDashboardQueries = (): string[] =>
  readdirSync(join(files, "dashboards"))
    .map((name) => JSON.parse(readFileSync(join(files, "dashboards", name), "utf8")) as { panels: Panel[] })
    .flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));

/** Returns the templates that say by which metrics the chart scales. */
export const readScalers = (): string =>
  ["api", "workers"].map((name) => readFileSync(`deploy/chart/templates/${name}.yaml`, "utf8")).join("\n");

/** A metric that a query names, with the labels whose value it names. */
export type NamedSeries = { metric: string; labels: [name: string, value: string][] };

/** Returns the series of ours, and of Node, that a query in PromQL names. */
export const seriesOf = (query: string): NamedSeries[] =>
  [...query.matchAll(/\b((?:runfleet|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(([, metric = "", matchers = ""]) => ({
    metric,
    labels: [...matchers.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  }));

/** Returns whether the text of a /metrics has such a series. */
export const hasSeries = (text: string, { metric, labels }: NamedSeries): boolean =>
  text
    .split("\n")
    .some(
      (line) =>
        (line.startsWith(`${metric}{`) || line.startsWith(`${metric} `)) &&
        labels.every(([name, value]) => line.includes(`${name}="${value}"`)),
    );
