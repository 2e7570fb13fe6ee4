import { Runfleet } from "../../sdk/ts/index.ts";
import { py } from "./py.ts";

/** Publishes the agent `talker`, which talks, asks, fails, stays, or reads its files, as its input says. */
export async function makeTalker(url: string): Promise<void> {
  const source = py`
    import time
    def main(input, context):
        what = input.get("what", "talk")
        yield "One "
        if what == "fail":
            raise ValueError("no")
        if what == "ask":
            yield context.interrupt("May I?")
        if what == "stay":
            time.sleep(60)
        if what == "files":
            with open("note.txt") as file:
                yield file.read()
            with open("bytes.bin", "rb") as file:
                yield str(list(file.read()))
            context.artifact("note.txt")
        yield "two"
        return {"said": 2}
    `;
  await new Runfleet({ url }).agents.create({ user_id: "ada", id: "talker", name: "talker", config: { source } });
}
