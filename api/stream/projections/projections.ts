import { choice } from "../../../shared/schemas/primitives.ts";
import { agUiProjection } from "./ag-ui.ts";
import { aiSdkProjection } from "./ai-sdk.ts";
import { langgraphProjection } from "./langgraph.ts";
import { openaiProjection } from "./openai.ts";
import type { Projection } from "./projection.ts";
import { textProjection } from "./text.ts";

const formats = ["text", "openai", "ai-sdk", "ag-ui", "langgraph"] as const;
export type Format = (typeof formats)[number];

export const projections: Readonly<Record<Format, Projection>> = {
  text: textProjection,
  openai: openaiProjection,
  "ai-sdk": aiSdkProjection,
  "ag-ui": agUiProjection,
  langgraph: langgraphProjection,
};

/** The query parameter that asks for one of them. */
export const formatQuery = {
  format: choice(formats).optional().meta({
    description:
      "The stream in another protocol's words: plain text, OpenAI's chat completion chunks, the AI SDK's UI message stream, AG-UI's events or LangGraph Server's. Without it: the events as they are.",
  }),
};
