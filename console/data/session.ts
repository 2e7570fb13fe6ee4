import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { CurrentSession } from "../../sdk/ts/index.ts";
import { client, queryClient, renew } from "./client.ts";

/** Who is signed in. */
export const useSession = (): UseQueryResult<CurrentSession> =>
  useQuery({ queryKey: ["session"], queryFn: () => client.sessions.getCurrent(), staleTime: 60_000 });

/** Begins a session. What was refused before is asked for again. */
export async function signIn(given: { key: string } | { code: string }): Promise<void> {
  const session = await client.sessions.create(given);
  queryClient.setQueryData(["session"], session);
  await renew();
}

/** Returns the code that a program has put behind the #, which no server and no log gets, and takes it out of the address. */
export function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** Ends the session and forgets everything that it has shown. */
export async function signOut(): Promise<void> {
  await client.sessions.endCurrent();
  location.assign("/console/sign-in");
}

/** True when the session may do what needs `scope`, such as `runs:write`. */
export const allows = ({ scopes }: Pick<CurrentSession, "scopes">, scope: string): boolean =>
  scopes.some((has) => has === "admin" || has === scope || (has === "*" && scope !== "admin" && scope !== "internal"));
