import { envFaults } from "../../domain/agent/env-faults.ts";
import { fileFaults } from "../../domain/agent/file-faults.ts";
import { ValidationFault } from "../../domain/errors/validation-fault.ts";
import { checkTargetUrl } from "../../platform/net/address-guard.ts";
import { requestLimits } from "../../domain/run/request-limits.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import { maxDelayMs } from "../../schemas/request-options.ts";

type Fault = { type: string; loc: (string | number)[]; msg: string };

/** Checks what the schema does not: names, sizes and the callback's URL. Throws one ValidationFault with all faults. */
export function checkRequest(request: ExecuteRequest, allowCidrs: string[]): void {
  const faults = [...sizeFaults(request), ...envFaults(request.env_vars, ["env_vars"])];
  for (const { name, message } of fileFaults(request.files)) faults.push(fault(["files", name], message));
  const url = request.completion_callback_url;
  const target = url == null ? null : checkTargetUrl(url, allowCidrs);
  if (target && "fault" in target) faults.push(fault(["completion_callback_url"], target.fault));
  faults.push(...optionFaults(request));
  if (faults.length > 0) throw new ValidationFault(faults);
}

const fault = (path: (string | number)[], message: string): Fault => ({
  type: "value_error",
  loc: ["body", ...path],
  msg: `Value error, ${message}`,
});

/** Options that exclude each other, and one that means nothing without another. */
function optionFaults({
  run_id,
  run_at,
  delay_ms,
  debounce,
  concurrency_key,
  key_concurrency,
}: ExecuteRequest): Fault[] {
  const faults: Fault[] = [];
  if (run_at != null && delay_ms != null) faults.push(fault(["run_at"], "can't be sent together with delay_ms"));
  if (debounce != null && (run_at != null || delay_ms != null))
    faults.push(fault(["debounce"], "has a delay of its own: leave out delay_ms and run_at"));
  if (debounce != null && run_id != null)
    faults.push(fault(["run_id"], "is chosen by the service for a debounced run"));
  if (run_at != null && run_at.getTime() > Date.now() + maxDelayMs)
    faults.push(fault(["run_at"], `must be at most ${maxDelayMs} ms from now`));
  if (key_concurrency != null && concurrency_key == null)
    faults.push(fault(["key_concurrency"], "needs a concurrency_key"));
  return faults;
}

function sizeFaults({ input_payload, state_snapshot }: ExecuteRequest): Fault[] {
  const { input_bytes, state_bytes } = requestLimits;
  const faults: Fault[] = [];
  if (Buffer.byteLength(JSON.stringify(input_payload)) > input_bytes)
    faults.push(fault(["input_payload"], `must be at most ${input_bytes} bytes`));
  if (Buffer.byteLength(state_snapshot) > state_bytes)
    faults.push(fault(["state_snapshot"], `must be at most ${state_bytes} bytes`));
  return faults;
}
