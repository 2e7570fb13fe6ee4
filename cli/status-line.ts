import type { RunEvent } from "../sdk/ts/index.ts";

type Amounts = { input_tokens?: number | undefined; output_tokens?: number | undefined; cost_usd?: number | undefined };

/** What a run does now, for a terminal's last line. */
export type StatusLine = { note(event: RunEvent): void; line(milliseconds: number): string };

export function createStatusLine(): StatusLine {
  let state = "sent";
  let attempt = 1;
  let progress = "";
  let used: Amounts = {};
  const tools = new Map<string, string>();
  return {
    note(event) {
      switch (event.type) {
        case "run.queued":
          state = "queued";
          break;
        case "run.waiting":
          state = `waits: ${event.queue.wait_reason}`;
          break;
        case "run.suspended":
          state = "suspended";
          break;
        case "run.started":
          [state, attempt, progress] = ["running", event.attempt, ""];
          tools.clear();
          break;
        case "progress":
          progress = [event.value === null ? "" : `${Math.round(event.value * 100)} %`, event.message ?? ""].join(" ");
          break;
        case "tool.start":
          tools.set(event.call_id, event.name);
          break;
        case "tool.end":
          tools.delete(event.call_id);
          break;
        case "usage":
          used = event;
          break;
        default:
      }
    },
    line: (milliseconds) =>
      [
        state,
        attempt > 1 ? `attempt ${attempt}` : "",
        progress.trim(),
        [...tools.values()].map((name) => `▸ ${name}`).join(" "),
        ...amountsOf(used),
        `${Math.floor(milliseconds / 1000)} s`,
      ]
        .filter((part) => part !== "")
        .join(" · "),
  };
}

/** Returns tokens and cost as a person reads them; nothing where none are known. */
export function amountsOf({ input_tokens = 0, output_tokens = 0, cost_usd = 0 }: Amounts): string[] {
  const tokens = input_tokens + output_tokens;
  return [tokens > 0 ? `${tokens} tokens` : "", cost_usd > 0 ? `$${cost_usd.toFixed(4)}` : ""].filter(Boolean);
}
