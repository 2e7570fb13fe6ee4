import {
  type InfiniteData,
  type QueryKey,
  useInfiniteQuery,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import type { Page, Pages } from "../../sdk/ts/index.ts";

type Data<T> = InfiniteData<Page<T>, string | undefined>;
type Options<T> = Pick<
  UseInfiniteQueryOptions<Page<T>, Error, Data<T>, QueryKey, string | undefined>,
  "placeholderData"
> & {
  /** How often the list is asked for anew, which may depend on its rows. Left out: only when it is looked at again. */
  refetchMs?: number | ((rows: T[]) => number);
};

/** Who has read further than so many pages is not asking for what is new. */
const mostRenewed = 2;

/** Reads a list page after page. */
export const usePages = <T>(
  queryKey: QueryKey,
  list: () => Pages<T>,
  { refetchMs, ...options }: Options<T> = {},
): UseInfiniteQueryResult<Data<T>> =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => list().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.has_more ? (page.last_id ?? undefined) : undefined),
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      if (refetchMs === undefined || pages.length > mostRenewed) return false;
      return typeof refetchMs === "number" ? refetchMs : refetchMs(pages.flatMap(({ data }) => data));
    },
    ...options,
  });
