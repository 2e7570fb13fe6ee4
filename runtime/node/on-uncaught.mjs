// What becomes of an error that nobody catches.

/**
 * Calls `act` with each error that nobody catches. A handler of the agent's own takes the place of `act`, as in Node itself.
 * @param {(error: unknown) => void} act
 */
export function onUncaught(act) {
  process.on("uncaughtException", act);
  process.on("unhandledRejection", act);
  process.on("newListener", (event, listener) => {
    if (listener === act || (event !== "uncaughtException" && event !== "unhandledRejection")) return;
    process.off("unhandledRejection", act);
    if (event === "uncaughtException") process.off("uncaughtException", act);
  });
}
