import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactElement, useEffect, useState } from "react";
import { client } from "../data/client.ts";
import { signIn, takeCode } from "../data/session.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Mark } from "./mark.tsx";
import styles from "./shell.module.css";

/** Takes a key for a session. The key is sent once and kept nowhere. */
export function SignIn(): ReactElement {
  const { data: health } = useQuery({ queryKey: ["health"], queryFn: () => client.system.health() });
  return (
    <main className={styles.signIn}>
      <h1>
        <Mark size={26} />
        Sign in to Runfleet
      </h1>
      <KeyForm />
      {health && (
        <p className={styles.facts}>
          Version <span className="num">{health.version}</span>, {health.workers}{" "}
          {health.workers === 1 ? "worker" : "workers"}, service {health.status}
        </p>
      )}
    </main>
  );
}

/** The session ended while a page was open. The page stays below. */
export const SignInAgain = (): ReactElement => (
  <Dialog title="Your session has ended" onClose={() => location.reload()}>
    <KeyForm />
  </Dialog>
);

function KeyForm(): ReactElement {
  const [key, setKey] = useState("");
  const { mutate, isPending, error } = useMutation({ mutationFn: signIn });
  useEffect(() => {
    const code = takeCode();
    if (code !== null) mutate({ code });
  }, [mutate]);
  function submit(event: FormEvent): void {
    event.preventDefault();
    mutate({ key: key.trim() });
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <label>
        API key
        <input
          type="password"
          name="key"
          autoComplete="off"
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      {error && (
        <p role="alert" className="bad">
          {error.message}
        </p>
      )}
      <Button type="submit" look="primary" disabled={isPending}>
        {isPending ? "Signing in" : "Sign in"}
      </Button>
      <p className="dim">The key becomes a cookie that scripts can't read. It is not stored in this browser.</p>
    </form>
  );
}
