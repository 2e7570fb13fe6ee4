import { once } from "node:events";
import { z } from "zod";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { usageEntry, type UsageEntry } from "../../shared/schemas/figures.ts";
import { choice } from "../../shared/schemas/primitives.ts";
import { runFilter } from "../../shared/schemas/run-filter.ts";
import { listUsage } from "../../shared/store/runs/list-usage.ts";
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
  summary: "What each run used, as a file",
  description:
    "All runs of the filter, the oldest first, streamed: CSV with a line of names, or a JSON object per line.",
  request: {
    query: z.object({
      format: choice(["csv", "ndjson"]).default("csv").meta({ description: "How the file is spelled." }),
      ...filters,
    }),
  },
  errors: ["too_many_streams"],
  responses: { 200: { description: "CSV, or NDJSON", content_type: "text/csv", example } },
  async handle({ db, leaving }: ApiContext, { query: { format, ...filter }, caller, holdOpen }) {
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
          const page = await listUsage(db, caller.owner, filter, { limit: pageSize, after, order: "asc" });
          after = page.has_more ? (page.last_id ?? undefined) : undefined;
          if (!res.write(page.data.map(spell).join("")) && !res.destroyed)
            await Promise.race([once(res, "drain"), once(res, "close")]);
        } while (after !== undefined && !res.destroyed && !leaving.aborted);
        // Cut off, a reader must not take what it has for all.
        if (after === undefined) res.end();
        else res.destroy();
      },
    };
  },
});

const jsonLine = ({ id: _id, ...entry }: UsageEntry): string => `${JSON.stringify(entry)}\n`;

const csvLine = (entry: UsageEntry): string => `${columns.map((name) => csvField(entry[name])).join(",")}\n`;

/** RFC 4180. A text that a spreadsheet would take for a formula is kept from being one. */
function csvField(value: string | number | null): string {
  if (typeof value !== "string") return String(value ?? "");
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
