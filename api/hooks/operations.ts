import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { listHooks } from "./list-hooks.ts";
import { createHook } from "./create-hook.ts";
import { getHook } from "./get-hook.ts";
import { updateHook } from "./update-hook.ts";
import { deleteHook } from "./delete-hook.ts";
import { rotateHookSecret } from "./rotate-hook-secret.ts";
import { testHook } from "./test-hook.ts";
import { listHookDeliveries } from "./list-hook-deliveries.ts";
import { replayHookDeliveries } from "./replay-deliveries.ts";
import { receiveHook } from "./receive-hook.ts";

export const hooksOperations: readonly Operation<ApiContext>[] = [
  listHooks,
  createHook,
  getHook,
  updateHook,
  deleteHook,
  rotateHookSecret,
  testHook,
  listHookDeliveries,
  replayHookDeliveries,
  receiveHook,
];
