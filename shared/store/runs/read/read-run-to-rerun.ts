import { type GivenOptions, givenOptions } from "../../../schemas/request-options.ts";
import type { Db } from "../../client.ts";
import { type Owner, ownedBy } from "../../owned-by.ts";

/** What of a run its request is made again from. Its env_vars and files were wiped when it ended. */
export type RerunSource = {
  id: string;
  agent_id: string;
  version: string;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  input_payload: unknown;
  history: unknown;
  tags: string[];
  metadata: unknown;
  request_options: GivenOptions | null;
  env_names: string[];
  file_names: string[];
};

/** Returns null when the owner has no such run. */
export async function readRunToRerun(db: Db, id: string, owner: Owner): Promise<RerunSource | null> {
  const run = await db.prisma.run.findUnique({
    where: { id, ...ownedBy(owner) },
    select: {
      id: true,
      agent_id: true,
      version: true,
      adapter_type: true,
      runtime_mode: true,
      lifecycle: true,
      input_payload: true,
      history: true,
      tags: true,
      metadata: true,
      request_options: true,
      env_names: true,
      files: true,
    },
  });
  if (!run) return null;
  const { files, request_options, ...rest } = run;
  const names = (Array.isArray(files) ? files : []).map((file) => (file as { name: string }).name);
  return { ...rest, request_options: givenOptions.nullable().parse(request_options), file_names: names };
}
