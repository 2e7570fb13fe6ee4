/** What a library showed of one turn. */
export type Heard = {
  text: string;
  /** The tools that the agent used, with what they gave. */
  tools: { name: string; result: unknown }[];
  /** What a person is asked. Null: nothing. */
  question: string | null;
};

/** A conversation with an agent over a protocol's own library. A refused request rejects with the library's own error. */
export type Conversation = {
  say(prompt: string): Promise<Heard>;
  /** Answers the question of the last turn by the library's own call. Gives what follows only. */
  answer(value: string): Promise<Heard>;
  /** Reads a turn over connections that are lost after every tenth event, and goes on as the library does. */
  sayOverCuts(prompt: string): Promise<Heard & { cuts: number }>;
  /** Begins a turn, and stops it by the library's own call once the agent has said something. */
  stop(prompt: string): Promise<void>;
};

export type Connection = { url: string; agent: string; key: string; fetch: typeof fetch };

/** One row of the table of cases: a protocol and its library. */
export type ProtocolClient = {
  protocol: string;
  connect(to: Connection): Conversation;
  /** What the library throws: its status, or the part of its message that tells it. */
  refusals: { unknownAgent: object; wrongKey: object; fullQueue: object };
  /** Cases that the protocol has no word for, with the reason. */
  without?: { cuts?: string };
};
