import type { ReactElement } from "react";
import type { RunStream } from "../data/use-run-stream.ts";
import { Empty, Loading } from "../ui/states.tsx";

/** Stands for what a stream brings, until it brings something. */
export const LoadingStream = ({ stream, what }: { stream: RunStream; what: string }): ReactElement =>
  stream.isWaiting ? (
    <Empty title="Waits for other pages">
      <p>
        The pages of a browser read four streams at most. This one is read as soon as another one ends or is closed.
      </p>
    </Empty>
  ) : (
    <Loading what={what} />
  );
