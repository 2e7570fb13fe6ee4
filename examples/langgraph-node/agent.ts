import { tool } from "@langchain/core/tools";
import { interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";

/** A person is asked before a table is booked. */
const bookTable = tool(
  async ({ restaurant, people }: { restaurant: string; people: number }) => {
    if (interrupt(`Book a table for ${people} at ${restaurant}?`) !== "yes") return "The person said no.";
    return `Booked: ${restaurant}, ${people} people.`;
  },
  {
    name: "book_table",
    description: "Books a table.",
    schema: {
      type: "object",
      properties: { restaurant: { type: "string" }, people: { type: "integer" } },
      required: ["restaurant", "people"],
    },
  },
);

const model = new ChatOpenAI({ model: process.env.MODEL ?? "gpt-5-mini" }).bindTools([bookTable]);

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode("tools", new ToolNode([bookTable]))
  .addEdge(START, "agent")
  .addConditionalEdges("agent", toolsCondition)
  .addEdge("tools", "agent")
  .compile();
