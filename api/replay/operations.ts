import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { replayRun } from "./replay-run.ts";

export const replayOperations: readonly Operation<ApiContext>[] = [replayRun];
