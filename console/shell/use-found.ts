import { useQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type CurrentSession, NotFoundError, type RunListItem } from "../../sdk/ts/index.ts";
import { client, noteSignedOut } from "../data/client.ts";
import { allows } from "../data/session.ts";

/** A run, an agent or a thread, and where it is shown. */
export type Found = {
  name: string;
  hint: string;
  icon: "runs" | "agents" | "threads";
  at: Pick<LinkProps, "to" | "params">;
};

const settleMs = 150;
const most = 5;

/** `error`: why not all was searched. */
type Search = { found: Found[]; error: string | null };

const nothing: Search = { found: [], error: null };

/** Returns what has the text in its id or name. The three lists are asked at the same time, when nothing was typed for a moment. */
export function useFound(text: string, session: CurrentSession): Search {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({
    queryKey: ["found", settled],
    queryFn: async (): Promise<Search> => {
      const answers = await Promise.allSettled([
        allows(session, "runs:read") ? findRuns(settled) : [],
        allows(session, "agents:read") ? findAgents(settled) : [],
        allows(session, "threads:read") ? findThreads(settled) : [],
      ]);
      const [reason] = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as Error] : []));
      noteSignedOut(reason);
      return {
        found: answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : [])),
        error: reason?.message ?? null,
      };
    },
    enabled: settled.length > 1,
    gcTime: 0,
  });
  return text.length > 1 && data ? data : nothing;
}

/** A search looks at the latest runs. A whole id names any run. */
async function findRuns(search: string): Promise<Found[]> {
  const [named, { data }] = await Promise.all([readRun(search), client.runs.list({ search, limit: most }).page()]);
  const runs = named ? [named, ...data.filter(({ id }) => id !== named.id)] : data;
  return runs.map(({ id, agent_id, status }) => ({
    name: id,
    hint: `${agent_id}, ${status}`,
    icon: "runs",
    at: { to: "/runs/$id", params: { id } },
  }));
}

async function readRun(id: string): Promise<Pick<RunListItem, "id" | "agent_id" | "status"> | null> {
  if (id.length < 8 || /[^\w.:-]/.test(id)) return null;
  try {
    return await client.runs.get(id);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

async function findAgents(search: string): Promise<Found[]> {
  const { data } = await client.agents.list({ search, limit: most }).page();
  return data.map(({ id, name }) => ({
    name: id,
    hint: name === id ? "agent" : name,
    icon: "agents",
    at: { to: "/agents/$id", params: { id } },
  }));
}

async function findThreads(search: string): Promise<Found[]> {
  const { data } = await client.threads.list({ search, limit: most }).page();
  return data.map(({ id, agent_id }) => ({
    name: id,
    hint: agent_id ?? "thread",
    icon: "threads",
    at: { to: "/threads/$id", params: { id } },
  }));
}
