import { useMutation } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { client } from "../data/client.ts";
import { useSession } from "../data/session.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Failure } from "../ui/states.tsx";
import styles from "./approve.module.css";

/** `runfleet login` has opened this page: who is signed in lets the command line in, or doesn't. */
export function ApprovePage(): ReactElement {
  const { port, state, name } = useSearch({ from: "/approve" });
  if (!isPort(port) || state === undefined)
    return (
      <Empty title="Nothing asks to be let in">
        <p>This page is opened by the command line: runfleet login.</p>
      </Empty>
    );
  return (
    <Page title="Let the command line in?">
      <Approve port={port} state={state} name={name ?? "a command line"} />
    </Page>
  );
}

/** The code goes to this machine only: nothing of the address chooses another one. */
const isPort = (port: string | undefined): port is string => /^[1-9]\d{0,4}$/.test(port ?? "");

function Approve({ port, state, name }: { port: string; state: string; name: string }): ReactElement {
  const session = useSession();
  const approve = useMutation({
    mutationFn: () => client.sessions.createCode(),
    onSuccess: ({ code }) =>
      location.assign(`http://127.0.0.1:${port}/?${new URLSearchParams({ code, state }).toString()}`),
  });
  return (
    <div className={styles.approve}>
      <p>
        <b className="num">{name}</b> asks for an API key of yours. It may do what you may, as{" "}
        <b className="num">{session.data?.user_id}</b>: <span className="num">{session.data?.scopes.join(", ")}</span>.
      </p>
      <p className="dim">
        Allow it only if you have just started <code>runfleet login</code> on this machine. The key is listed by{" "}
        <code>runfleet keys</code>, and can be revoked at any time.
      </p>
      {approve.error && <Failure error={approve.error} />}
      <p className={styles.buttons}>
        <Button look="primary" disabled={approve.isPending || approve.isSuccess} onClick={() => approve.mutate()}>
          {approve.isSuccess ? "Go on in the terminal" : "Allow"}
        </Button>
        <Link to="/runs" className={buttonClass()}>
          Don't allow
        </Link>
      </p>
    </div>
  );
}
