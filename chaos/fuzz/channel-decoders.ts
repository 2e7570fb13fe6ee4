import { daemonFrame } from "../../worker/channel/daemon-frame.ts";
import { decodeFrames, decodeLines } from "../../worker/channel/decode-frames.ts";
import { readAnswer } from "../../worker/adapters/http/read-answer.ts";
import type { Random } from "../random.ts";
import { type Decoder, must, samplesOf } from "./decoder.ts";
import { chunksOf } from "./mutate.ts";

const frames = samplesOf(
  '{"type":"output","content":{"a":[1,2,{"b":"c"}]}}\n',
  '{"type":"log","level":"info","stream":"stderr","message":"words"}\n{"type":"progress","value":0.5,"message":null}\n',
  '{"type":"tool.start","call_id":"1","name":"n","args":{}}\n{"type":"tool.end","call_id":"1","result":[1],"error":null,"duration_ms":3}\n',
  '{"type":"state","state_snapshot":"{}"}\n{"type":"usage","input_tokens":3,"cost_usd":0.5}\n',
  '{"type":"artifact","name":"a.txt","mime":null,"content":"aGVsbG8="}\n',
  '{"type":"interrupt","reason":"input_required","response_schema":{"type":"object"},"expires_in_ms":5000}\n',
  '{"type":"result","result_content":{"ok":true}}\n{"type":"error","error_type":"E","message":"m","traceback":null}\n',
);
const daemonFrames = samplesOf(
  '{"type":"ready"}\n',
  ...frames.map((sample) => sample.toString("latin1").replaceAll('{"type"', '{"to":"run_1","type"')),
);
const events = samplesOf(
  'data: {"type":"output","content":"eins"}\n\nevent: log\ndata: {"message":"noted"}\n\n',
  'id: 1\r\nretry: 10\r\nevent: output\r\ndata: {"content":\r\ndata: "zwei"}\r\n\r\n: comment\r\n\r\ndata: [DONE]\r\n\r\n',
  "data: plain text\r\rdata\r\r",
);

async function* body(input: Buffer, random: Random): AsyncGenerator<Uint8Array> {
  yield* chunksOf(input, random);
}

async function readAll(items: AsyncIterable<{ type: string }>): Promise<void> {
  for await (const item of items) {
    must(typeof item.type === "string", "a frame, or a fault");
    // What is passed on is walked through by what recurses.
    JSON.stringify(item);
  }
}

export const agentFrames: Decoder = {
  name: "agent's frames",
  weight: 150,
  samples: frames,
  read: (input, random) => readAll(decodeFrames(body(input, random))),
};

export const daemonsFrames: Decoder = {
  name: "daemon's frames",
  weight: 80,
  samples: daemonFrames,
  read: (input, random) => readAll(decodeLines(body(input, random), daemonFrame)),
};

const answer = (name: string, contentType: string, samples: Decoder["samples"]): Decoder => ({
  name: `http answers: ${name}`,
  weight: 50,
  samples,
  read: (input, random) =>
    readAll(readAnswer({ status: 200, contentType, contentEncoding: "", body: body(input, random) })),
});

export const httpAnswers: readonly Decoder[] = [
  answer("events", "text/event-stream", events),
  answer("JSON lines", "application/x-ndjson", frames),
  answer("JSON", "application/json", samplesOf('{"answer":[1,{"a":"b"}],"n":1.5e3}', '"text"', "null")),
  answer("text", "text/plain; charset=utf-8", samplesOf("words \u00e9", "more\nwords")),
];

export const answerHeaders: Decoder = {
  name: "http answers: content types",
  weight: 40,
  samples: samplesOf(
    "text/plain; charset=utf-8",
    'application/json;charset="latin1"',
    "text/event-stream",
    "application/problem+json",
    "text/plain;charset=utf-16le",
  ),
  read(input, random) {
    const text = input.toString("latin1");
    return readAll(
      readAnswer({
        status: 200,
        contentType: text,
        contentEncoding: random.chance(0.2) ? text : "",
        body: body(Buffer.from('{"a":1}\n\n'), random),
      }),
    );
  },
};
