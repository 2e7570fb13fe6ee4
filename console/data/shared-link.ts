const folder = "/console/share/";

/** The read token of a shared link that was opened. It stands behind the #, which no server and no log gets. */
export const sharedToken: string | null = location.pathname.startsWith(folder)
  ? new URLSearchParams(location.hash.slice(1)).get("token")
  : null;

/** True when this page was opened by a shared link: it reads one run, and nothing can be done with that. */
export const isShared = sharedToken !== null;

/** Returns the link that shows a run to everybody who has it. */
export const linkTo = (runId: string, token: string): string =>
  `${location.origin}${folder}${encodeURIComponent(runId)}#token=${token}`;

// Another link that is opened in the same tab changes the part behind the # only.
if (location.pathname.startsWith(folder))
  addEventListener("hashchange", () => {
    if (new URLSearchParams(location.hash.slice(1)).get("token") !== sharedToken) location.reload();
  });
