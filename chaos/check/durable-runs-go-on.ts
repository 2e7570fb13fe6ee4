import type { AcceptedRun } from "../drive/drive-runs.ts";
import type { Told } from "../durable/execute-program.ts";
import { faultsOfSteps, standingWords } from "../durable/find-faults.ts";
import type { Evidence } from "./evidence.ts";

/** A durable run that succeeded has each of its steps' results; none of them began again after its end; what stands was said once. */
export function durableRunsGoOn({ accepted, runs, transcripts }: Evidence): string[] {
  return accepted
    .filter(({ agent, run_id }) => agent === "durable" && runs.get(run_id)?.status === "success")
    .flatMap((run) => {
      const { done } = (runs.get(run.run_id)?.result_content ?? {}) as { done?: unknown };
      const events = (transcripts.get(run.run_id) ?? []).map(({ id, type, data }): Told => ({
        id,
        event: type,
        data: JSON.parse(data) as Told["data"],
      }));
      const faults = [...faultsOfResults(run, done), ...faultsOfSteps(events), ...faultsOfWords(run, events)];
      return faults.map((fault) => `${run.run_id}: ${fault}`);
    });
}

function faultsOfResults({ n }: AcceptedRun, done: unknown): string[] {
  const given = JSON.stringify(done);
  return given === JSON.stringify([...Array(n).keys()]) ? [] : [`its ${n} steps gave ${given}`];
}

function faultsOfWords({ token, n }: AcceptedRun, events: readonly Told[]): string[] {
  const words = standingWords(events).join("");
  const wanted = Array.from({ length: n }, (_, i) => `${token} ${i}`).join("");
  return words === wanted ? [] : [`it says ${words} instead of ${wanted}`];
}
