import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/states.tsx";

/** A fault of the page itself. The shell stays, so every other page can be reached. */
export const PageError = ({ error, reset }: ErrorComponentProps): ReactElement => (
  <Empty title="This page has failed">
    <p>{error instanceof Error ? error.message : String(error)}</p>
    <p>This is a fault of the console. Reload the page; if it comes back, report it with this text.</p>
    <Button onClick={reset}>Try again</Button>
  </Empty>
);

export const NoPage = (): ReactElement => (
  <Empty title="There is no such page">
    <p>Choose an area on the left.</p>
  </Empty>
);
