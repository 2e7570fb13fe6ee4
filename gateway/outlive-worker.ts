import type { Socket } from "node:net";
import type { ToKeeper } from "../shared/schemas/gateway.ts";
import type { MessageHandler } from "./handle-messages.ts";

/** An answer is read for a minute after its client has gone, and what was read has to be handed over. */
const mostMs = 90_000;

/** Hands the ends of the calls that have left to the keeper, line by line, and calls `leave` then, or after some time. */
export function outliveWorker(handler: MessageHandler, keeper: Socket, leave: () => void): void {
  setTimeout(leave, mostMs);
  keeper.on("error", leave).on("finish", leave);
  let toCome = -1;
  let ended = 0;
  const tell = (message: ToKeeper): void => {
    keeper.write(`${JSON.stringify(message)}\n`);
    if (message.kind === "ended") ended += 1;
    if (ended === toCome) keeper.end();
  };
  toCome = handler.outlive(tell);
  if (ended === toCome) keeper.end();
}
