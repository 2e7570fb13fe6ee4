import { callbacksArrive } from "./callbacks-arrive.ts";
import { enoughHappened } from "./enough-happened.ts";
import type { Evidence, Invariant } from "./evidence.ts";
import { lostRunsReturnInTime } from "./recovery.ts";
import {
  acceptedRunsEnd,
  failuresAreExplained,
  lossesAreCharged,
  movesFollowEachOther,
  resultsBelongToTheirRuns,
  runsEndOnce,
} from "./runs-end.ts";
import { durableRunsGoOn } from "./durable-runs-go-on.ts";
import { historiesAreGapless, historiesEqualTranscripts, transcriptsAreWhole } from "./streams-agree.ts";

const invariants: Readonly<Record<string, Invariant>> = {
  acceptedRunsEnd,
  runsEndOnce,
  movesFollowEachOther,
  transcriptsAreWhole,
  historiesAreGapless,
  historiesEqualTranscripts,
  resultsBelongToTheirRuns,
  durableRunsGoOn,
  failuresAreExplained,
  callbacksArrive,
  lossesAreCharged,
  lostRunsReturnInTime,
  enoughHappened,
};

/** Returns every invariant's name, with the cases that broke it. */
export function checkAll(evidence: Evidence): Map<string, string[]> {
  return new Map(Object.entries(invariants).map(([name, invariant]) => [name, invariant(evidence)]));
}
