import { isTerminal } from "../../shared/domain/run/run-status.ts";
import type { Evidence } from "./evidence.ts";

/** Every run that a client saw accepted is in the database and has ended. Refused requests were answered 503. */
export function acceptedRunsEnd({ accepted, runs, refused }: Evidence): string[] {
  const open = accepted.flatMap(({ run_id }) => {
    const row = runs.get(run_id);
    if (!row) return `${run_id}: accepted, but there is no such run`;
    return isTerminal(row.status) ? [] : `${run_id}: still ${row.status}`;
  });
  return [...open, ...refused.map((why) => `refused: ${why}`)];
}

/** Exactly one of a run's transitions leads to a terminal state. It is the last one, and agrees with the run's row. */
export function runsEndOnce({ runs, transitions }: Evidence): string[] {
  return [...runs.values()].flatMap(({ id, status }) => {
    const moves = (transitions.get(id) ?? []).map(({ to }) => to);
    const ends = moves.filter(isTerminal);
    if (!isTerminal(status) && ends.length === 0) return [];
    const once = ends.length === 1 && moves.at(-1) === status;
    return once ? [] : `${id}: ${status}, by way of ${moves.join(" → ")}`;
  });
}

/** Each of a run's transitions starts where the one before ended: no two of its attempts were effective at the same time. */
export function movesFollowEachOther({ transitions }: Evidence): string[] {
  return [...transitions].flatMap(([id, moves]) => {
    const odd = moves.find(({ from }, place) => from !== (moves[place - 1]?.to ?? null));
    return odd
      ? [`${id}: a move from ${odd.from} to ${odd.to}, by way of ${moves.map(({ to }) => to).join(" → ")}`]
      : [];
  });
}

/**
 * Each loss of a worker is charged as an attempt, nothing else is, and no run has more attempts than allowed. Losses before a run was
 * suspended are charged no longer.
 */
export function lossesAreCharged({ runs, transitions }: Evidence): string[] {
  return [...runs.values()].flatMap(({ id, lost_attempts, max_attempts }) => {
    const moves = transitions.get(id) ?? [];
    const since = moves.slice(moves.findLastIndex(({ to }) => to === "suspended") + 1);
    const losses = since.filter((move) => move.to === "queued" && move.reason === "worker_lost");
    if (losses.length === lost_attempts && lost_attempts < max_attempts) return [];
    return `${id}: charged ${lost_attempts} of ${max_attempts}, lost ${losses.length} times`;
  });
}

/** A run that succeeded returns its own token, and no failing agent's run succeeded. */
export function resultsBelongToTheirRuns({ accepted, runs }: Evidence): string[] {
  return accepted.flatMap(({ run_id, agent, token }) => {
    const row = runs.get(run_id);
    if (row?.status !== "success") return [];
    const result = row.result_content as { token?: unknown } | null;
    return agent !== "failing" && result?.token === token ? [] : `${run_id}: ${JSON.stringify(row.result_content)}`;
  });
}

/** Runs fail only by their agent's own error, or because their workers were killed too often: the last loss is not charged. */
export function failuresAreExplained({ accepted, runs }: Evidence): string[] {
  return accepted.flatMap(({ run_id, agent }) => {
    const row = runs.get(run_id);
    if (!row || row.status === "success") return [];
    const { status, error_code, lost_attempts, max_attempts } = row;
    if (error_code === "worker_lost")
      return lost_attempts + 1 >= max_attempts
        ? []
        : `${run_id} (${agent}): given up after ${lost_attempts + 1} losses of ${max_attempts}`;
    const itsOwn = agent === "failing" && status === "error";
    return itsOwn ? [] : `${run_id} (${agent}): ${status}, ${error_code}`;
  });
}
