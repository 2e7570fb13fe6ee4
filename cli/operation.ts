import { type Answer, callService } from "./call-service.ts";
import type { Json } from "./client.ts";
import type { Call, Command } from "./command.ts";
import { Fault } from "./exit-codes.ts";
import { type Column, tableOf } from "./table.ts";

type Shared = Pick<Command, "usage" | "summary" | "options">;

/** A command's words stand for each `{}`, in their order. */
type Path = string | ((call: Call) => string);

type Listing = Shared & {
  path: Path;
  columns: readonly Column[];
  /** Flags → parameters of the query. */
  filters?: Record<string, string>;
};

/** A command that shows a list as a table. */
export function listing({ path, columns, filters = {}, ...shared }: Listing): Command {
  const ofFilters = Object.fromEntries(Object.keys(filters).map((name) => [name, { type: "string" } as const]));
  return {
    ...shared,
    needs: wordsIn(path),
    options: { ...shared.options, ...ofFilters, all: { type: "boolean" }, limit: { type: "string", short: "n" } },
    async act(call) {
      const { terminal, flags } = call;
      const query = new URLSearchParams(queryOf(flags, filters));
      const limit = flags["limit"];
      if (typeof limit === "string" || flags["all"]) query.set("limit", typeof limit === "string" ? limit : "100");
      if (terminal.json && !flags["all"]) return showPage(call, fill(path, call), query);
      const rows: Json[] = [];
      for await (const row of rowsOf(call, fill(path, call), query)) {
        if (terminal.json) terminal.value(row);
        else rows.push(row);
      }
      if (terminal.json) return 0;
      if (rows.length === 0) terminal.say("There are none.");
      else for (const line of tableOf(columns, rows, terminal.width)) terminal.data(line);
      return 0;
    },
  };
}

async function showPage({ client, terminal }: Call, path: string, query: URLSearchParams): Promise<number> {
  terminal.value((await callService(client, "GET", `${path}?${query.toString()}`)).body);
  return 0;
}

/** Yields the rows of a list: of one page, or with --all of all pages. */
async function* rowsOf({ client, flags }: Call, path: string, query: URLSearchParams): AsyncGenerator<Json> {
  for (;;) {
    const { body } = await callService(client, "GET", query.size > 0 ? `${path}?${query.toString()}` : path);
    yield* body["data"] as Json[];
    const { last_id } = body;
    if (!flags["all"] || body["has_more"] !== true || typeof last_id !== "string") return;
    query.set("after", last_id);
  }
}

/** A time as `2h` or `30m` ago becomes the time itself. */
const durations: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function queryOf(flags: Call["flags"], filters: Record<string, string>): Record<string, string> {
  const given = Object.entries(filters).flatMap(([flag, name]): [string, string][] => {
    const value = flags[flag];
    return typeof value === "string" ? [[name, name === "since" ? timeOf(value) : value]] : [];
  });
  return Object.fromEntries(given);
}

export function timeOf(text: string): string {
  const [, count, unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const ago = Date.now() - Number(count) * (durations[unit] ?? 0) * 1000;
  // To Date a number such as 5 is a month of 2001.
  const time = new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : ago);
  if (Number.isNaN(time.getTime())) throw new Fault("usage", `'${text}' is no time: write 30m, 2h, 7d or 2026-11-21.`);
  return time.toISOString();
}

type Acting = Shared & {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: Path;
  /** How many words it needs, where the path isn't known before. */
  needs?: number;
  body?: (call: Call) => Json | Promise<Json>;
  /** Returns the line that tells what has happened. Without it the answer is shown. */
  tell?: (answer: Answer, call: Call) => string;
};

/** A command that performs one operation of the service. */
export function operation({ method, path, needs = wordsIn(path), body, tell, ...shared }: Acting): Command {
  return {
    ...shared,
    needs,
    async act(call) {
      const answer = await callService(call.client, method, fill(path, call), await body?.(call));
      if (call.terminal.json) call.terminal.value(answer.body);
      else call.terminal.data(tell ? tell(answer, call) : JSON.stringify(answer.body, null, 2));
      return 0;
    },
  };
}

const wordsIn = (path: Path): number => (typeof path === "string" ? path.split("{}").length - 1 : 0);

function fill(path: Path, call: Call): string {
  const left = [...call.words];
  return (typeof path === "string" ? path : path(call)).replaceAll("{}", () => encodeURIComponent(left.shift() ?? ""));
}
