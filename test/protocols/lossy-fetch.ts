/**
 * A fetch whose n-th stream is lost after `eventsOf(n)` events, counted from 1. Other answers come whole. `ends`: the lost stream
 * ends for the client as if it were complete.
 */
export function lossyFetch(
  whole: typeof fetch,
  eventsOf: (stream: number) => number,
  { ends = false } = {},
): typeof fetch {
  let streams = 0;
  return async (to, init) => {
    const response = await whole(to, init);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream") || !response.body) return response;
    streams += 1;
    let left = eventsOf(streams);
    let rest = "";
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        rest += decoder.decode(chunk, { stream: true });
        const events = rest.split(/(?<=\n\n)/);
        rest = events.at(-1)?.endsWith("\n\n") ? "" : (events.pop() ?? "");
        for (const event of events) {
          if (left === 0) {
            if (ends) controller.terminate();
            else controller.error(new TypeError("network error"));
            return;
          }
          left -= 1;
          controller.enqueue(encoder.encode(event));
        }
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
}
