import type { Refusal, ShownRefusal } from "../http/protocol.ts";

/** Shows an error as its sentence. For protocols whose clients show the body as it is. */
export const showAsText = ({ status, message }: Refusal): ShownRefusal => ({ status, body: message });
