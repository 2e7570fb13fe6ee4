import type { UseMutationResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { CurrentSession } from "../../sdk/ts/index.ts";
import { allows } from "../data/session.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { heldKey, Key } from "../ui/key.tsx";
import { Mark } from "./mark.tsx";
import { Pulse } from "./pulse.tsx";
import styles from "./shell.module.css";
import { otherTheme, switchTheme, useTheme } from "./theme.ts";

/** Of `signOut`. */
type SigningOut = UseMutationResult<void, Error, void>;
type Props = { session: CurrentSession; signingOut: SigningOut; onFind: () => void };

export const Header = ({ session, signingOut, onFind }: Props): ReactElement => (
  <header className={styles.header}>
    <Link to="/runs" className={styles.mark}>
      <Mark />
      Runfleet
    </Link>
    {allows(session, "studio:read") ? <Pulse /> : <span className={styles.pulse} />}
    <button type="button" className={styles.find} aria-keyshortcuts="Control+K Meta+K" onClick={onFind}>
      <Icon name="search" size={13} />
      Find
      <Key>{heldKey} K</Key>
    </button>
    <ThemeButton />
    <Who session={session} signingOut={signingOut} />
  </header>
);

function Who({ session, signingOut }: Pick<Props, "session" | "signingOut">): ReactElement {
  if (session.auth_mode === "open")
    return (
      <span className={styles.open} title="AUTH_MODE=open: everybody who reaches this address may do everything.">
        open
      </span>
    );
  return (
    <>
      {signingOut.error && (
        <span role="alert" className="bad">
          You are still signed in: {signingOut.error.message}
        </span>
      )}
      <span className={`${styles.who} clip`}>{session.user_id}</span>
      <Button
        look="quiet"
        aria-label="Sign out"
        title="Sign out"
        disabled={signingOut.isPending}
        onClick={() => signingOut.mutate()}
      >
        <Icon name="leave" />
      </Button>
    </>
  );
}

export function ThemeButton(): ReactElement {
  const theme = useTheme();
  const label = `Use the ${otherTheme(theme)} theme`;
  return (
    <Button look="quiet" aria-label={label} title={label} onClick={switchTheme}>
      <Icon name={theme === "dark" ? "sun" : "moon"} />
    </Button>
  );
}
