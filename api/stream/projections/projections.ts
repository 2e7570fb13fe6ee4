import { agUiProjection } from "./ag-ui.ts";
import { aiSdkProjection } from "./ai-sdk.ts";
import { langgraphProjection } from "./format-langgraph.ts";
import { openaiProjection } from "./format-openai.ts";
import type { Machine, Projection } from "./projection.ts";
import { restateStanding } from "./skip-repeats.ts";
import { textProjection } from "./format-text.ts";

export const formats = ["text", "openai", "ai-sdk", "ag-ui", "langgraph"] as const;
export type Format = (typeof formats)[number];

export const projections: Readonly<Record<Format, Projection>> = {
  text: restated(textProjection),
  openai: restated(openaiProjection),
  "ai-sdk": restated(aiSdkProjection),
  "ag-ui": restated(agUiProjection),
  langgraph: restated(langgraphProjection),
};

function restated(projection: Projection): Projection {
  const start = (): Machine => {
    const machine = projection.start();
    return { ...machine, push: restateStanding((event) => machine.push(event)) };
  };
  return { ...projection, start };
}
