import type { Attack } from "./attack.ts";
import { commands } from "./attacks/commands.ts";
import { nodeRuns } from "./attacks/node-runs.ts";
import { pythonChannels } from "./attacks/python-channels.ts";
import { pythonImport } from "./attacks/python-import.ts";
import { pythonRemains } from "./attacks/python-remains.ts";
import { pythonRuns } from "./attacks/python-runs.ts";
import { staying } from "./attacks/staying.ts";

/** All attacks. */
export const attacks: readonly Attack[] = [
  ...pythonChannels,
  ...pythonImport,
  ...pythonRuns,
  ...pythonRemains,
  ...nodeRuns,
  ...commands,
  ...staying,
];
