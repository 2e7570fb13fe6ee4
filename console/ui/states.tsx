import type { ReactElement, ReactNode } from "react";
import { ApiError, ForbiddenError, NotFoundError, UnauthorizedError } from "../../sdk/ts/index.ts";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { formatTime } from "./format.ts";
import styles from "./states.module.css";

/** Shown only after a moment, so that what is fast doesn't flicker. */
export const Loading = ({ what = "Loading" }: { what?: string }): ReactElement => (
  <div role="status" className={styles.loading}>
    <span className="unseen">{what}</span>
    {[68, 92, 80, 54].map((width) => (
      <i key={width} aria-hidden style={{ width: `${width}%` }} />
    ))}
  </div>
);

type EmptyProps = { title: string; children?: ReactNode };

/** Says what would be here, and the one thing to do. */
export const Empty = ({ title, children }: EmptyProps): ReactElement => (
  <div className={styles.empty}>
    <h2>{title}</h2>
    {children}
  </div>
);

type FailureProps = { error: unknown; onRetry?: (() => void) | undefined };

/** Says what went wrong, with what support asks for. */
export function Failure({ error, onRetry }: FailureProps): ReactElement {
  const { title, text } = describe(error);
  return (
    <div role="alert" className={styles.failure}>
      <h2>{title}</h2>
      <p>{text}</p>
      <Details error={error} />
      {onRetry && !(error instanceof NotFoundError) && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

function describe(error: unknown): { title: string; text: string } {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof NotFoundError) return { title: "It is gone", text: `${text} It may have been deleted.` };
  if (error instanceof ForbiddenError) return { title: "No right to see this", text };
  if (error instanceof UnauthorizedError) return { title: "Signed out", text };
  if (error instanceof ApiError && error.status >= 500) return { title: "The service failed", text };
  if (error instanceof ApiError) return { title: "The service refused", text };
  return { title: "No answer from the service", text };
}

function Details({ error }: { error: unknown }): ReactElement | null {
  if (!(error instanceof ApiError)) return null;
  const text = [error.code, error.requestId].filter((one) => one !== undefined).join(" · ");
  return (
    <p className={styles.details}>
      <code>{text}</code>
      <Copy text={text} label="Copy the error's code and request id" />
    </p>
  );
}

type Query<T> = { data: T | undefined; error: Error | null; dataUpdatedAt: number; refetch: () => unknown };
type LoadedProps<T> = { query: Query<T>; what?: string; children: (data: T) => ReactNode };

/** What a request brings, or why not. What was shown before stays, and says how old it is. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>): ReactElement {
  const { data, error, refetch, dataUpdatedAt } = query;
  if (data !== undefined)
    return (
      <>
        {error && <Stale at={dataUpdatedAt} error={error} onRetry={() => void refetch()} />}
        {children(data)}
      </>
    );
  return error ? (
    <Failure error={error} onRetry={() => void refetch()} />
  ) : (
    <Loading {...(what !== undefined && { what })} />
  );
}

const Stale = ({ at, error, onRetry }: { at: number; error: Error; onRetry: () => void }): ReactElement => (
  <div role="status" className={styles.stale}>
    As of <span className="num">{formatTime(at)}</span>: {describe(error).text}
    <Button onClick={onRetry}>Try again</Button>
  </div>
);
