import { expect, test } from "vitest";
import { failedEntries } from "../../../../shared/services/journal/failed-entries.ts";

type More = { kind?: string; ok?: boolean; position?: number; after?: string[] };
const entry = (key: string, branch: string, more: More = {}) => ({
  ...{ key, branch, stored_key: key, position: 0, kind: "step", ok: true },
  ...more,
});
const failed = { ok: false };

test("what came after a failed step goes with it, in both languages; what flows beside it have done stays", () => {
  const node = [entry("a", "main"), entry("b", "a", failed), entry("beside", "a"), entry("c", "b"), entry("d", "c")];
  expect([...failedEntries(node)]).toEqual(["b", "c", "d"]);
  const python = [0, 1, 2].map((position) => entry(`main/${position}`, "main", { position, ok: position !== 1 }));
  expect([...failedEntries([...python, entry("other/0", "other")])]).toEqual(["main/1", "main/2"]);
});

test("what another branch began when it had heard of the failure goes too, with what it did after that", () => {
  const all = [
    entry("main/kept", "main"),
    entry("part", "main/part~1", failed),
    entry("beside", "main/part~2"),
    entry("main/told", "main", { position: 1, after: ["part"] }),
    entry("main/last", "main", { position: 2 }),
    entry("later", "main/tell~1", { after: ["part"] }),
  ];
  expect([...failedEntries(all)].toSorted()).toEqual(["later", "main/last", "main/told", "part"]);
});

test("of steps that a branch began together those that succeeded stay, until it has heard", () => {
  const all = [
    entry("a", "main", { ...failed, after: [] }),
    entry("b", "main", { position: 1, after: [] }),
    entry("c", "main", { position: 2, after: ["a"] }),
    entry("d", "main", { position: 3, after: [] }),
  ];
  expect([...failedEntries(all)]).toEqual(["a", "c", "d"]);
});

test("a run of a map that failed goes alone, with what came after the map", () => {
  const runs = [0, 1, 2].map((n) => entry(`map[${n}]`, "main", { kind: "child", ok: n !== 1 }));
  expect([...failedEntries([...runs, entry("after", "map")])]).toEqual(["map[1]", "after"]);
});

test("what was given up is done anew, and what came after it stays: a race that was won is no failure", () => {
  const race = [entry("fast", "main", { kind: "child" }), entry("slow", "main", { kind: "abandoned", ok: false })];
  expect([...failedEntries([...race, entry("charge", "slow"), entry("ship", "charge")])]).toEqual(["slow"]);
  const python = [...race, entry("charge", "main", { position: 2 })];
  expect([...failedEntries(python)]).toEqual(["slow"]);
  // A wait of the service's own is kept as ok.
  expect([...failedEntries([entry("wait", "main", { kind: "abandoned" })])]).toEqual(["wait"]);
});

test("what was given up behind a failed step takes along what came after it", () => {
  const all = [entry("a", "main", failed), entry("slow", "a", { kind: "abandoned", ok: false }), entry("b", "slow")];
  expect([...failedEntries(all)]).toEqual(["a", "slow", "b"]);
});
