import type { CallEnded } from "../../schemas/gateway.ts";

/** What is known of a call that nothing came of. */
export const unansweredCall: CallEnded = {
  status: null,
  request_bytes: 0,
  response_bytes: 0,
  model: null,
  usage: null,
  pieces: 0,
  is_whole: false,
  is_delivered: false,
  is_lost: false,
  failed: null,
};
