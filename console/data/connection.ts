import { useSyncExternalStore } from "react";

/** When the service stopped answering; null while it answers. */
let lostAt: number | null = null;
const readers = new Set<() => void>();
const backs = new Set<() => void>();

const askEveryMs = 1_500;

/** Of every answer: the service is there, unless a proxy has answered in its place. */
export async function noteAnswer(response: Response): Promise<void> {
  if ([502, 503, 504].includes(response.status) && !(await isOurs(response.clone()))) return noteLoss();
  if (lostAt === null) return;
  lostAt = null;
  notify(readers);
  notify(backs);
}

/** True for an answer of the service itself: its errors have a code. */
async function isOurs(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === "object" && body !== null && "code" in body;
}

/** No answer came. The service is asked until it answers again. */
export function noteLoss(): void {
  if (lostAt !== null) return;
  lostAt = Date.now();
  notify(readers);
  setTimeout(() => void ask(), askEveryMs);
}

async function ask(): Promise<void> {
  if (lostAt === null) return;
  const answer = await fetch("/health/live").catch(() => null);
  if (answer?.ok) return noteAnswer(answer);
  setTimeout(() => void ask(), askEveryMs);
}

/** Resolves as soon as the service answers. */
export async function whenAnswering(): Promise<void> {
  const answer = await fetch("/health/live").catch(() => null);
  if (answer?.ok) return noteAnswer(answer);
  noteLoss();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      backs.delete(end);
      resolve();
    };
    backs.add(end);
  });
}

/** Calls `act` whenever the service answers again. */
export function onConnectionBack(act: () => void): void {
  backs.add(act);
}

/** Returns since when the service doesn't answer; null while it does. */
export const useLostConnection = (): number | null => useSyncExternalStore(subscribe, () => lostAt);

/** True while the machine itself has a network. */
export const useOnline = (): boolean => useSyncExternalStore(subscribeOnline, () => navigator.onLine);

function subscribe(onChange: () => void): () => void {
  readers.add(onChange);
  return () => readers.delete(onChange);
}

function subscribeOnline(onChange: () => void): () => void {
  window.addEventListener("online", onChange);
  window.addEventListener("offline", onChange);
  return () => {
    window.removeEventListener("online", onChange);
    window.removeEventListener("offline", onChange);
  };
}

function notify(set: Set<() => void>): void {
  for (const one of set) one();
}
