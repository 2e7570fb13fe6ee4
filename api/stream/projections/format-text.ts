import { failureOf } from "./event-facts.ts";
import { dispatch, onFailure, type Projection } from "./projection.ts";
import { note, startSpeech } from "./speech.ts";

/** The agent's text. Lines in brackets mark a restart, a question, a gap or a failure. */
export const textProjection: Projection = {
  headers: { "Content-Type": "text/plain; charset=utf-8" },
  plain: true,
  start() {
    const speak = startSpeech();
    const handlers = onFailure((event) => [note(failureOf(event).message)]);
    return {
      push: (event) => dispatch(handlers, event, () => [speak(event)]),
      end: () => [],
    };
  },
};
