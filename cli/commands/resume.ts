import type { Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { showAndAnswer } from "../answer-questions.ts";

export const resume: Command = {
  usage: "resume <run> <answer as JSON>",
  summary: "Answers the question of an interrupted run, and shows how it goes on.",
  needs: 2,
  async act({ words: [run = "", answer = ""], client, terminal }) {
    const { after } = await client.attach(run).resume(parse(answer));
    return showAndAnswer(terminal, client.attach(run, { after }));
  },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault("usage", `The answer is no JSON: ${text}`);
  }
}
