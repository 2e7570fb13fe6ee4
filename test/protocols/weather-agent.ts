import { py } from "../harness/py.ts";

/** What the agent of the recorded exchanges did, and more. It does what the last message, or `say`, says. */
export const weatherAgent = py`
  import time

  def main(input, context):
      said = input["messages"][-1]["content"] if "messages" in input else input.get("say", "")
      if said == "ask":
          name = context.interrupt("What is your name?", response_schema={"type": "string"})
          yield f"Hello, {name}."
          return None
      if said == "approve":
          sure = context.interrupt("Sure?", response_schema={"type": "boolean"})
          return {"sure": sure}
      if said in ("fail", "throw"):
          raise ValueError("no credit")
      if said == "count":
          for i in range(input.get("n", 3)):
              context.progress((i + 1) / input.get("n", 3), f"step {i + 1}")
              time.sleep(input.get("delay", 0))
          return {"counted": input.get("n", 3)}
      if said == "work":
          with context.tool("search", {"q": 1}) as call:
              call.result = "found"
          context.artifact("a.txt", "hi")
          context.emit("mood", {"value": "good"})
          yield {"score": 1}
          yield "done"
          return {"greeted": True}
      if said == "slow":
          for letter in "abcdefgh":
              yield letter
              time.sleep(input.get("delay", 0.1))
          return None
      if said == "turn":
          yield f"turn {1 + sum(1 for m in context.history if m['role'] == 'user')}"
          return None
      for word in ["It ", "is ", "sunny."]:
          yield word
`;
