import fc from "fast-check";
import { expect, test } from "vitest";
import { isTerminal, type RunStatus } from "../../../../shared/domain/run/run-status.ts";
import { type Cause, mayMove, transitions } from "../../../../shared/domain/run/transitions.ts";

/** One run as its row has it, and who could hold it by rights. */
type Model = { status: RunStatus; attempt: number; owner: number | null; ends: number };
/** What somebody tries: `writer` names the attempt that it was given at its last claim. */
type Try = { cause: Cause; to: RunStatus; writer: number };

const moves = (Object.keys(transitions) as Cause[]).flatMap((cause) =>
  transitions[cause].to.map((to) => ({ cause, to })),
);
const writers = 3;
const workersOwn: readonly Cause[] = ["finish", "give_back", "interrupt", "retry"];

/** Any move by any of the writers; a number is cheaper to draw than an object. */
function decode(number: number): Try {
  const move = moves[number % moves.length];
  if (!move) throw new Error("no such move");
  return { ...move, writer: Math.floor(number / moves.length) % writers };
}

/** As the store does it: the state must allow it, and a write that names an attempt must name this one. */
function play(model: Model, known: number[], { cause, to, writer }: Try): boolean {
  if (!mayMove(cause, model.status, to)) return false;
  if (workersOwn.includes(cause) && known[writer] !== model.attempt) return false;
  model.status = to;
  if (transitions[cause].attempt === "raise") model.attempt += 1;
  if (cause === "claim") known[writer] = model.attempt;
  if (isTerminal(to)) model.ends += 1;
  return true;
}

/** Throws when a move that went through should not have; else notes whose the run is now. */
function judge(before: Model, model: Model, { cause, writer }: Try): void {
  if (isTerminal(before.status)) throw new Error(`${cause} moved a run that had ended`);
  if (workersOwn.includes(cause) && writer !== before.owner) throw new Error(`${cause} by one that lost the run`);
  if (model.attempt < before.attempt) throw new Error("the fence went back");
  model.owner = cause === "claim" ? writer : null;
}

test("whatever is tried in whatever order: one end at most, only the last claimer writes, and an end can be reached", () => {
  const sequence = fc.array(fc.nat(moves.length * writers - 1), { maxLength: 24 });
  const property = fc.property(sequence, (numbers) => {
    const model: Model = { status: "queued", attempt: 0, owner: null, ends: 0 };
    const known = Array.from({ length: writers }, () => -1);
    for (const attempted of numbers.map(decode)) {
      const before = { ...model };
      if (play(model, known, attempted)) judge(before, model, attempted);
    }
    if (model.ends > 1) throw new Error(`${model.ends} ends`);
    const open = moves.some(({ cause, to }) => mayMove(cause, model.status, to));
    if (open === isTerminal(model.status)) throw new Error(`stuck or not ended: ${model.status}`);
  });
  fc.assert(property, { numRuns: 100_000 });
  expect(moves.length).toBeGreaterThan(15);
}, 180_000);
