import { agUiProjection } from "./ag-ui.ts";
import { aiSdkProjection } from "./ai-sdk.ts";
import { langgraphProjection } from "./langgraph.ts";
import { openaiProjection } from "./openai.ts";
import type { Projection } from "./projection.ts";
import { textProjection } from "./text.ts";

export const formats = ["text", "openai", "ai-sdk", "ag-ui", "langgraph"] as const;
export type Format = (typeof formats)[number];

export const projections: Readonly<Record<Format, Projection>> = {
  text: textProjection,
  openai: openaiProjection,
  "ai-sdk": aiSdkProjection,
  "ag-ui": agUiProjection,
  langgraph: langgraphProjection,
};
