import { createFrameReader, encodeControlFrame } from "../../worker/adapters/python/control-frames.ts";
import { ArchiveFault } from "../../worker/environments/archive-fault.ts";
import { readArchive } from "../../worker/environments/read-archive.ts";
import { daemonFrame } from "../../worker/channel/daemon-frame.ts";
import { decodeFrames, decodeLines } from "../../worker/channel/decode-frames.ts";
import { readAnswer } from "../../worker/adapters/http/read-response.ts";
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
    // Recursive code walks through accepted values, so they must be shallow.
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

/** A warm sandbox's control channel: any input is either read as whole frames or ends the channel. */
export const controlFrames: Decoder = {
  name: "control channel of a warm sandbox",
  weight: 60,
  samples: [
    encodeControlFrame("S", Buffer.alloc(0)),
    Buffer.concat([encodeControlFrame("D", Buffer.from("words")), encodeControlFrame("E", Buffer.alloc(22))]),
    encodeControlFrame("P", Buffer.alloc(8)),
  ],
  read(input, random) {
    const take = ({ type, body: content }: { type: string; body: Buffer }): void =>
      must("SDEP".includes(type) && content.length <= 65_536, "a frame that may come");
    const read = createFrameReader({ accept: (type) => "SDEP".includes(type), take });
    for (const chunk of chunksOf(input, random)) if (read(Buffer.from(chunk)) !== null) break;
  },
};

const archiveLimits = { entries: 100, bytes: 1 << 20, path_bytes: 1_024, names_bytes: 1 << 16, depth: 16 };

/** A file `a` of one byte in a directory `d`, as Python's tarfile writes them. */
function sampleArchive(): Buffer {
  const entry = (name: string, type: string, content: string): Buffer => {
    const block = Buffer.alloc(512);
    block.write(name);
    block.write(type === "5" ? "0000755\0" : "0000644\0", 100);
    block.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
    block.write("00000000000\0", 136);
    block.write(type, 156);
    block.write("ustar\x0000", 257);
    block.fill(" ", 148, 156);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return Buffer.concat([block, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
  };
  return Buffer.concat([entry("d/", "5", ""), entry("d/a", "0", "x"), Buffer.alloc(1024)]);
}

export const archives: Decoder = {
  name: "archives of packages",
  weight: 40,
  samples: [sampleArchive()],
  async read(input, random) {
    try {
      for await (const item of readArchive(body(input, random), archiveLimits))
        if (item.type !== "data") must(!/(^|\/)\.\.?(\/|$)|^\//.test(item.path), "a path inside of the tree");
    } catch (error) {
      if (!(error instanceof ArchiveFault)) throw error;
    }
  },
};
