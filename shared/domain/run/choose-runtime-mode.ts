import type { FaultItem } from "../errors/validation-fault.ts";
import { readConfig } from "../../schemas/agent-config.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import type { runtimeModes } from "./run-modes.ts";

type Mode = (typeof runtimeModes)[number];
type Request = Pick<ExecuteRequest, "runtime_mode">;
type Version = { config: Record<string, unknown> };

/** The specification's default. A client that sends it means the same as one that leaves the field out. */
const defaultMode: Mode = "standard";
/** How much each mode allows. */
const width: Record<Mode, number> = { isolated: 0, standard: 1, full: 2 };

/** Returns the mode of a run: that of the version's config, which a request may narrow; where the config is silent, the request's. */
export function chooseRuntimeMode({ runtime_mode: asked }: Request, { config }: Version): Mode {
  const { runtime_mode: known } = readConfig(config);
  if (known === undefined) return asked;
  return asked === defaultMode || width[asked] > width[known] ? known : asked;
}

/** Returns the fault of a request that asks for more than the version's config allows. */
export function runtimeModeFaults({ runtime_mode: asked }: Request, { config }: Version): FaultItem[] {
  const { runtime_mode: known } = readConfig(config);
  if (known === undefined || width[asked] <= width[known]) return [];
  if (asked === defaultMode) return [];
  const msg = `The runtime_mode of this version is '${known}'. Leave out runtime_mode, or send a narrower one`;
  return [{ type: "runtime_mode_mismatch", loc: ["body", "runtime_mode"], msg }];
}
