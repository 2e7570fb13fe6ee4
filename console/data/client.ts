import { MutationCache, QueryCache, QueryClient, type QueryKey } from "@tanstack/react-query";
import { Runfleet, UnauthorizedError } from "../../sdk/ts/index.ts";
import { noteAnswer, noteLoss, onConnectionBack } from "./connection.ts";
import { isShared, sharedToken } from "./shared-link.ts";

/** The session's cookie counts for a write only with this header. A shared link acts for nobody, whoever is signed in. */
const own: RequestInit = isShared ? { credentials: "omit" } : {};
const header: Record<string, string> = isShared ? {} : { "x-runfleet-console": "1" };

async function send(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  try {
    const response = await fetch(input, {
      ...init,
      ...own,
      headers: { ...(init.headers as Record<string, string>), ...header },
    });
    await noteAnswer(response);
    return response;
  } catch (error) {
    if (!init.signal?.aborted) noteLoss();
    throw error;
  }
}

/** The service that has served this page. */
export const client = new Runfleet({ url: location.origin, apiKey: sharedToken ?? undefined, fetch: send });

export const queryClient = new QueryClient({
  defaultOptions: {
    // The SDK repeats what may be repeated. What is shown stays shown while the service is away.
    queries: { retry: false, networkMode: "always", staleTime: 2_000 },
    mutations: { retry: false, networkMode: "always" },
  },
  queryCache: new QueryCache({ onError: noteSignedOut }),
  mutationCache: new MutationCache({ onError: noteSignedOut }),
});

/** The session may have ended while the page was open. */
export function noteSignedOut(error: unknown): void {
  if (error instanceof UnauthorizedError) void renew(["session"]);
}

/**
 * Asks anew for what is shown under a key that begins so; without a key, for all. What is being read for the first time is asked for again, too: that
 * answer may have been made before the change.
 */
export async function renew(queryKey: QueryKey = []): Promise<void> {
  await queryClient.cancelQueries({ queryKey });
  await queryClient.invalidateQueries({ queryKey });
}

onConnectionBack(() => void renew());
