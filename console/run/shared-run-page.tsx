import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { NotFoundError, UnauthorizedError } from "../../sdk/ts/index.ts";
import { runQuery } from "../data/run-record.ts";
import { isShared } from "../data/shared-link.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { RunView } from "./run-page.tsx";

/** A run as whoever has its link sees it. */
export function SharedRunPage(): ReactElement {
  const { id } = useParams({ from: "/share/$id" });
  const query = useQuery({ ...runQuery(id), enabled: isShared });
  const { error } = query;
  // What was read before the link was revoked goes, too.
  if (!isShared || error instanceof UnauthorizedError || error instanceof NotFoundError)
    return (
      <Empty title="This link shows nothing">
        <p>
          {isShared
            ? "It was revoked, has expired, or its run was deleted."
            : "Its end is missing: the part from #token= on."}{" "}
          Ask for a new one where you have it from.
        </p>
      </Empty>
    );
  return <Loaded query={query}>{(run) => <RunView key={run.id} run={run} />}</Loaded>;
}
