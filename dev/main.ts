import { readEnv } from "../shared/platform/config/env.ts";
import { aborted, runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { startStack } from "./start-stack.ts";

await runProcess(async (signal) => {
  const stack = await startStack(readEnv(), signal);
  console.log(`Runfleet is ready: ${stack.url} (documentation: ${stack.url}/docs). Ctrl-C ends it.`);
  await aborted(signal);
  await stack.close();
});
