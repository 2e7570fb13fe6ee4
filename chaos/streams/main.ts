import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { builtMembers, openChaosStack } from "../stack/open-stack.ts";
import { type Client, cutStreams, typescriptClient } from "./cut-streams.ts";
import { findPythonSdk, pythonClient } from "./python-client.ts";

const schema = z.object({
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .default(() => Math.floor(Math.random() * 2 ** 31)),
  cuts: z.coerce.number().int().min(1).max(1_000_000).default(1_000),
  readers: z.coerce.number().int().min(1).max(100).default(20),
  sdk: z.enum(["typescript", "python", "asyncio"]).default("typescript"),
});

async function clientOf(sdk: z.infer<typeof schema>["sdk"]): Promise<Client> {
  if (sdk === "typescript") return typescriptClient;
  return pythonClient(await findPythonSdk(), sdk === "asyncio" ? "async" : "sync");
}

/** `npm run chaos:streams -- --seed N --cuts N --readers N --sdk typescript|python|asyncio`: fails when an SDK misses an event or reads one twice. */
await runProcess(async () => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ options: { seed: option, cuts: option, readers: option, sdk: option } });
  const options = schema.parse(values);
  const stack = await openChaosStack(1, builtMembers);
  const { runs, cuts, events, faults } = await cutStreams(stack.apiUrls[0], await clientOf(options.sdk), options);
  await stack.close(faults.length > 0);
  console.log(`seed ${options.seed}: ${runs} runs, ${events} events, ${cuts} cuts, ${faults.length} faults`);
  if (faults.length > 0) throw new Error(faults.slice(0, 20).join("\n"));
});
