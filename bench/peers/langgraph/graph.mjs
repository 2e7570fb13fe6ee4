// A graph of two nodes; its model answers at once, so that what is measured is everything else.
import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }) => ({ messages: [new AIMessage("You said " + messages.at(-1).text)] }))
  .addNode("check", async () => ({}))
  .addEdge(START, "agent")
  .addEdge("agent", "check")
  .addEdge("check", END)
  .compile();

export const main = async ({ text }) => {
  const { messages } = await graph.invoke({ messages: [{ role: "user", content: text }] });
  return { answer: messages.at(-1).content };
};
