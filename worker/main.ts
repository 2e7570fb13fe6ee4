import { readEnv } from "../shared/config/env.ts";
import { loadConfig } from "../shared/config/load-config.ts";
import { aborted, runProcess } from "../shared/lifecycle/run-process.ts";
import { createLog } from "../shared/log.ts";
import { writeTrace } from "../shared/trace.ts";
import { createWorkerContext } from "./context.ts";
import { joinFleet } from "./fleet-member.ts";

await runProcess(async (signal) => {
  const config = loadConfig(readEnv());
  if (config.traceFile) writeTrace(config.traceFile);
  const log = createLog("worker", config.logLevel);
  const ctx = await createWorkerContext(config, log);
  const member = await joinFleet(ctx);
  log.info({ worker_id: ctx.workerId, slots: config.worker.slots, sandbox: ctx.sandbox.report }, "worker ready");
  const told = aborted(signal).then(() => ({ graceMs: config.shutdownGraceMs }));
  const { graceMs } = await Promise.race([told, member.dismissed]);
  log.info("draining");
  await member.drain(graceMs);
  await ctx.close();
});
