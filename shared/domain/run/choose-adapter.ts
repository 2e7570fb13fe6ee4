import type { FaultItem } from "../errors/validation-fault.ts";
import { readConfig } from "../../schemas/agent-config.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import { adapterOf } from "./run-modes.ts";

type Request = Pick<ExecuteRequest, "adapter_type">;
type Version = { config: Record<string, unknown> };

/** Returns the adapter of a run: that of the request, unless that is the default, else that of the version's config. */
export function chooseAdapter(request: Request, version: Version): NonNullable<ExecuteRequest["adapter_type"]> {
  const { adapter_type: asked = defaultType } = request;
  return asked === defaultType ? (readConfig(version.config).adapter_type ?? defaultType) : asked;
}

/** The specification's default. A client that sends it means the same as one that leaves the field out. */
const defaultType = "python";

/** Returns the faults of a request that names another adapter than the version's config. */
export function adapterFaults({ adapter_type: asked }: Request, { config }: Version): FaultItem[] {
  const { adapter_type: known } = readConfig(config);
  if (asked === undefined || asked === defaultType || known === undefined) return [];
  if (adapterOf(asked) === adapterOf(known)) return [];
  const msg = `The adapter of this version is '${known}'. Leave out adapter_type, or send '${known}'`;
  return [{ type: "adapter_mismatch", loc: ["body", "adapter_type"], msg }];
}
