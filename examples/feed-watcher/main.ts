import { setTimeout as sleep } from "node:timers/promises";

/** The latest price of each symbol, as the feed has told it. */
const prices = new Map<string, number>();
let isConnected = false;

type Context = { signal: AbortSignal; saveState(value: unknown): void; state: unknown };

/** Answers messages from what the connection has brought so far. */
export function onMessage({ symbol }: { symbol: string }) {
  return { symbol, price: prices.get(symbol) ?? null, connected: isConnected };
}

/** Keeps the connection for as long as the daemon lives. A feed that is cut is opened again. */
export async function main(_input: unknown, { signal }: Context) {
  while (!signal.aborted) {
    await follow(signal).catch((error: unknown) => console.error(`The feed was cut: ${String(error)}`));
    isConnected = false;
    await sleep(1_000, null, { signal }).catch(() => null);
  }
}

/** Reads lines such as `{"symbol": "ABC", "price": 12.5}`. */
async function follow(signal: AbortSignal) {
  const response = await fetch(process.env.FEED_URL ?? "", { signal });
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  isConnected = true;
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter(Boolean)) {
      const { symbol, price } = JSON.parse(line) as { symbol: string; price: number };
      prices.set(symbol, price);
    }
  }
}
