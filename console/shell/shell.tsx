import { useMutation } from "@tanstack/react-query";
import { lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { type ReactElement, Suspense, useCallback, useEffect, useState } from "react";
import type { CurrentSession } from "../../sdk/ts/index.ts";
import { partOf } from "../data/parts.ts";
import { signOut, takeCode, useSession } from "../data/session.ts";
import { Failure, Loading } from "../ui/states.tsx";
import { ConnectionLine } from "./connection-line.tsx";
import { Header } from "./header.tsx";
import { Areas } from "./areas.tsx";
import styles from "./shell.module.css";
import { usePageTitle } from "./page-title.tsx";
import { SignIn, SignInAgain } from "./sign-in.tsx";
import { consoleActs } from "./console-acts.ts";
import { useKeys } from "./use-keys.ts";

const Palette = lazyRouteComponent(
  partOf(() => import("./palette.tsx")),
  "Palette",
);
const KeyHelp = lazyRouteComponent(
  partOf(() => import("./key-help.tsx")),
  "KeyHelp",
);

/**
 * What is around every page. Who isn't signed in signs in where they are, and stays there. What the page has of one user is not
 * shown to another one: it is loaded anew.
 */
export function Shell(): ReactElement | null {
  const session = useSession();
  const [first, setFirst] = useState<string | null>(null);
  const who = session.data?.user_id ?? null;
  if (who !== null && first === null) setFirst(who);
  const isAnother = who !== null && first !== null && who !== first;
  useEffect(() => {
    if (isAnother) location.reload();
  }, [isAnother]);
  if (!session.data || isAnother)
    return session.error ? <Failure error={session.error} onRetry={() => void session.refetch()} /> : <Loading />;
  if (who === null && first === null) return <SignIn />;
  return <Around session={session.data} isSignedOut={who === null} />;
}

type AroundProps = { session: CurrentSession; isSignedOut: boolean };

function Around({ session, isSignedOut }: AroundProps): ReactElement {
  usePageTitle();
  const [above, setAbove] = useState<"palette" | "help" | null>(null);
  const openPalette = useCallback(() => setAbove("palette"), []);
  const openHelp = useCallback(() => setAbove("help"), []);
  useKeys({ openPalette, openHelp });
  const signingOut = useMutation({ mutationFn: signOut });
  // Who is signed in already needs no code, and an address that is copied must not have one.
  useEffect(() => void takeCode(), []);
  // A dialog that was closed by Escape says so a moment later: another one may stand there by then.
  const close = (closed: typeof above): void => setAbove((now) => (now === closed ? null : now));
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page">
        Skip to the page
      </a>
      <Header session={session} signingOut={signingOut} onFind={openPalette} />
      <Areas session={session} />
      <main id="page" tabIndex={-1} className={styles.page}>
        <ConnectionLine />
        <Outlet />
      </main>
      <Suspense>
        {above === "palette" && (
          <Palette
            session={session}
            onClose={() => close("palette")}
            acts={consoleActs(session, openHelp, () => signingOut.mutate())}
          />
        )}
        {above === "help" && <KeyHelp onClose={() => close("help")} />}
      </Suspense>
      {isSignedOut && <SignInAgain />}
    </div>
  );
}
