import { expect, test } from "vitest";
import { runModule } from "./run-module.ts";

test("an agent that runs again in its process has its own model, also after an error", async () => {
  const { stdout, stderr } = await runModule(
    "run-openai-agent",
    `const model = { ask: () => "said" };
     let fails = false;
     const agent = {
       model,
       asTool: ({ customOutputExtractor }) => ({
         async invoke() {
           if (fails) throw new Error("failed");
           customOutputExtractor({ finalOutput: agent.model.ask() });
         },
       }),
     };
     console.log(await module.runOpenAiAgent(agent, "hi", {}), agent.model === model);
     fails = true;
     await module.runOpenAiAgent(agent, "hi", {}).catch((error) => console.log(error.message, agent.model === model));`,
  );
  expect(stderr).toBe("");
  expect(stdout).toBe("said true\nfailed true\n");
});
