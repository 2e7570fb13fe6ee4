/**
 * An agent that does steps. The same input gives the same result, and the same words in each lane. `children`: how many runs one
 * starts. `signals`: what is sent to it, in this order. `asks`: true when it asks questions. `notes`: so many signals `note` are sent
 * at random moments, and its result has `taken`, the payloads of those that it took.
 */
export type Program = {
  adapter_type: "python" | "node";
  source: string;
  children?: number;
  signals?: readonly { name: string; payload: unknown }[];
  asks?: boolean;
  notes?: number;
};

export const python = `
import asyncio, concurrent.futures, random, time
from runfleet import context, step

def pause(ms=20):
    time.sleep(random.random() * ms / 1000)

def say(lane, **words):
    context.emit("said", {"lane": lane, **words})

def work(value):
    pause()
    return value

async def later(value):
    await asyncio.sleep(random.random() * 0.02)
    return value
`;

export const node = `
const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, Math.random() * ms));
const later = (value) => async () => {
  await pause();
  return value;
};
`;
