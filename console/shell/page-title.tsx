import { useQuery } from "@tanstack/react-query";
import { useMatches } from "@tanstack/react-router";
import { useEffect } from "react";
import { runQuery } from "../data/run-record.ts";

type Params = Record<string, string>;

/** What the browser calls a page in its tabs and its history: text, or made of the address. */
export type TitleOf = string | ((params: Params) => string);

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    title?: TitleOf;
  }
}

/** Gives the browser's tab the title of the page that is shown, so that tabs can be told apart. A run's begins with its status. */
export function usePageTitle(): void {
  const name = useMatches({ select: nameOf });
  const status = useStatus(useMatches({ select: runOf }));
  useEffect(() => {
    document.title = [status, name, "Runfleet"].filter((part) => part).join(" · ");
  }, [status, name]);
}

type Match = { staticData: { title?: TitleOf }; params: object };

function nameOf(matches: Match[]): string {
  const found = matches.findLast(({ staticData }) => staticData.title !== undefined);
  const title = found?.staticData.title ?? "";
  return typeof title === "string" ? title : title((found?.params ?? {}) as Params);
}

/** Returns the id of the run that the page is of. */
function runOf(matches: Match[]): string {
  const found = matches.find(({ staticData }) => staticData.title === runTitle);
  return (found?.params as Params | undefined)?.["id"] ?? "";
}

export const runTitle = ({ id = "" }: Params): string => `Run …${id.slice(-6)}`;

/** Returns the status of the run that the page shows, as far as the page has read it. */
const useStatus = (id: string): string | undefined => useQuery({ ...runQuery(id), enabled: false }).data?.status;
