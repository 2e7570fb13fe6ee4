import { type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";
import { voidedBy, type Withdrawal } from "../../shared/domain/run/void-events.ts";
import type { AcceptedRun } from "../drive/drive-runs.ts";
import type { SeenEvent } from "../drive/history.ts";
import type { Evidence } from "./evidence.ts";

/** A durable run that succeeded has each of its steps' results; none of them began again after its end; what stands was said once. */
export function durableRunsGoOn({ accepted, runs, transcripts }: Evidence): string[] {
  return accepted
    .filter(({ agent, run_id }) => agent === "durable" && runs.get(run_id)?.status === "success")
    .flatMap((run) => {
      const { done } = (runs.get(run.run_id)?.result_content ?? {}) as { done?: unknown };
      const events = transcripts.get(run.run_id) ?? [];
      const faults = [...faultsOfResults(run, done), ...faultsOfSteps(events), ...faultsOfWords(run, events)];
      return faults.map((fault) => `${run.run_id}: ${fault}`);
    });
}

function faultsOfResults({ n }: AcceptedRun, done: unknown): string[] {
  const given = JSON.stringify(done);
  return given === JSON.stringify([...Array(n).keys()]) ? [] : [`its ${n} steps gave ${given}`];
}

function faultsOfSteps(events: readonly SeenEvent[]): string[] {
  const ended = new Set<string>();
  return events.flatMap(({ type, data }) => {
    if (type !== "step.start" && type !== "step.end") return [];
    const { key, ok } = JSON.parse(data) as { key: string; ok?: boolean };
    if (type === "step.end" && ok) ended.add(key);
    return type === "step.start" && ended.has(key) ? [`step ${key} ran again after its end`] : [];
  });
}

function faultsOfWords({ token, n }: AcceptedRun, events: readonly SeenEvent[]): string[] {
  let said: { place: EventId; content: string }[] = [];
  for (const { id, type, data } of events) {
    const told = JSON.parse(data) as Withdrawal & { content?: string };
    if (type === "run.started") {
      const isVoid = voidedBy(told);
      said = said.filter(({ place }) => !isVoid(place));
    }
    if (type === "output.delta") said.push({ place: parseEventId(id) ?? noPlace, content: told.content ?? "" });
  }
  const words = said.map(({ content }) => content).join("");
  const wanted = Array.from({ length: n }, (_, i) => `${token} ${i}`).join("");
  return words === wanted ? [] : [`it says ${words} instead of ${wanted}`];
}

const noPlace: EventId = { attempt: 0, seq: 0 };
