/** One event as a client got it. `data` is the text between `data: ` and the line's end. */
export type SeenEvent = { id: string; type: string; data: string };

/** Everything that one client saw of one run, over all of its connections. */
export type History = {
  run_id: string;
  events: SeenEvent[];
  /** Connections that the client dropped, and that broke. */
  cuts: number;
  breaks: number;
  /** True when the client saw the run's terminal event, or was answered 204. */
  ended: boolean;
  /** Answers that no client should get for a run that was accepted. */
  oddities: string[];
};

export function newHistory(run_id: string): History {
  return { run_id, events: [], cuts: 0, breaks: 0, ended: false, oddities: [] };
}
