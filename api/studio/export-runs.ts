import { once } from "node:events";
import { z } from "zod";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { usageEntry, type UsageEntry } from "../../shared/schemas/analytics.ts";
import { choice } from "../../shared/schemas/primitives.ts";
import { runFilter } from "../../shared/schemas/run-filter.ts";
import { listUsage } from "../../shared/store/runs/read/list-run-usage.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

const { search: _search, ...filters } = runFilter;
const pageSize = 1_000;
const columns = Object.keys(usageEntry.shape).filter((name) => name !== "id") as (keyof UsageEntry)[];

const example = `${columns.join(",")}\n${columns.map((name) => exampleOf(usageEntry)[name]).join(",")}\n`;

export const exportRuns = defineOperation({
  method: "get",
  path: "/v1/studio/export",
  name: "export_runs",
  area: "Studio",
  scope: "studio:read",
  summary: "Export the usage of runs as a file",
  description:
    "All runs that match the filter, oldest first, as a stream: CSV with a header line, or one JSON object a line.",
  request: {
    query: z.object({
      format: choice(["csv", "ndjson"]).default("csv").meta({ description: "The format of the file." }),
      ...filters,
    }),
  },
  errors: ["too_many_streams"],
  responses: { 200: { description: "CSV, or NDJSON", content_type: "text/csv", example } },
  async handle(
    { read, leaving }: Pick<ApiContext, "read" | "leaving">,
    { query: { format, ...filter }, caller, holdOpen },
  ) {
    holdOpen();
    const spell = format === "csv" ? csvLine : jsonLine;
    return {
      async respond(_req, res) {
        res.writeHead(200, {
          "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
          "content-disposition": `attachment; filename="runs.${format}"`,
        });
        if (format === "csv") res.write(`${columns.join(",")}\n`);
        let after: string | undefined;
        do {
          const page = await read((db) =>
            listUsage(db, caller.owner, filter, { limit: pageSize, after, order: "asc" }),
          );
          after = page.has_more ? (page.last_id ?? undefined) : undefined;
          if (!res.write(page.data.map(spell).join("")) && !res.destroyed)
            await Promise.race([once(res, "drain"), once(res, "close")]);
        } while (after !== undefined && !res.destroyed && !leaving.aborted);
        // Destroyed, so that the reader does not take a part for the whole.
        if (after === undefined) res.end();
        else res.destroy();
      },
    };
  },
});

const jsonLine = ({ id: _id, ...entry }: UsageEntry): string => `${JSON.stringify(entry)}\n`;

const csvLine = (entry: UsageEntry): string => `${columns.map((name) => csvField(entry[name])).join(",")}\n`;

/** Returns a CSV field (RFC 4180). A text that a spreadsheet would treat as a formula is escaped. */
function csvField(value: string | number | null): string {
  if (typeof value !== "string") return String(value ?? "");
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
