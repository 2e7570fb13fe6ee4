import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { listVersions } from "./list-versions.ts";
import { createVersion } from "./create-version.ts";
import { getBuild } from "./get-build.ts";
import { streamBuild } from "./stream-build.ts";
import { getVersion } from "./get-version.ts";
import { updateVersion } from "./update-version.ts";
import { archiveVersion } from "./archive-version.ts";
import { diffVersions } from "./diff-versions.ts";
import { putTag } from "./put-tag.ts";
import { deleteTag } from "./delete-tag.ts";
import { upgradeAgent } from "./upgrade-agent.ts";
import { rollbackAgent } from "./rollback-agent.ts";

export const versionsOperations: readonly Operation<ApiContext>[] = [
  listVersions,
  createVersion,
  getVersion,
  getBuild,
  streamBuild,
  updateVersion,
  archiveVersion,
  diffVersions,
  putTag,
  deleteTag,
  upgradeAgent,
  rollbackAgent,
];
