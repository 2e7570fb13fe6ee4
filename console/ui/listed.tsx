import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import type { Page } from "../../sdk/ts/index.ts";
import { Button } from "./button.tsx";
import { formatCount } from "./format.ts";
import styles from "./listed.module.css";
import { Empty, Loaded } from "./states.tsx";

type Props<T> = {
  query: UseInfiniteQueryResult<InfiniteData<Page<T>>>;
  what?: string;
  /** What stands there when the list has no row at all. */
  empty: ReactNode;
  children: (rows: T[]) => ReactNode;
};

/** A list as far as it was read. One that goes on says so, and is read on by a button. */
export const Listed = <T,>({ query, what, empty, children }: Props<T>): ReactElement => {
  const { hasNextPage, isFetchingNextPage } = query;
  const readOn = (): void => void query.fetchNextPage();
  return (
    <Loaded query={query} {...(what !== undefined && { what })}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        if (rows.length === 0)
          return hasNextPage ? (
            <NoneSoFar title="No match so far" isLooking={isFetchingNextPage} onFurther={readOn} />
          ) : (
            empty
          );
        return (
          <>
            {children(rows)}
            {hasNextPage && (
              <p className={styles.more}>
                These are the first <span className="num">{formatCount(rows.length)}</span>.
                <Button disabled={isFetchingNextPage} onClick={readOn}>
                  Show more
                </Button>
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
};

type FurtherProps = { title: string; isLooking: boolean; onFurther: () => void };

/** A page looks at a limited number of rows: that it found none doesn't tell that there is none. */
export const NoneSoFar = ({ title, isLooking, onFurther }: FurtherProps): ReactElement => (
  <Empty title={title}>
    <p>Only a part was searched so far.</p>
    <Button disabled={isLooking} onClick={onFurther}>
      {isLooking ? "Looking" : "Look further"}
    </Button>
  </Empty>
);
