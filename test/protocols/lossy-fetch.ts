/** A fetch whose n-th stream is lost after `eventsOf(n)` events, counted from 1. Other answers come whole. */
export function lossyFetch(eventsOf: (stream: number) => number): { fetch: typeof fetch } {
  let streams = 0;
  const lossy: typeof fetch = async (to, init) => {
    const response = await fetch(to, init);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream") || !response.body) return response;
    streams += 1;
    let left = eventsOf(streams);
    let rest = "";
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        rest += decoder.decode(chunk, { stream: true });
        const whole = rest.split(/(?<=\n\n)/);
        rest = whole.at(-1)?.endsWith("\n\n") ? "" : (whole.pop() ?? "");
        for (const event of whole) {
          if (left === 0) {
            controller.error(new TypeError("network error"));
            return;
          }
          left -= 1;
          controller.enqueue(encoder.encode(event));
        }
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
  return { fetch: lossy };
}
