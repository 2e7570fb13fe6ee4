import { expect, it } from "vitest";
import { errorsOf } from "../../../api/http/describe-errors.ts";
import { operations } from "../../../api/operations.ts";
import { allCodes, codesThrownBy, shellCodes, thrownCodes } from "./thrown-codes.ts";

/** What a scan of the sources finds and no request can meet. */
const unreachable: Record<string, string[]> = {
  // These read back what they have just made or seen.
  create_job: ["job_not_found"],
  trigger_job: ["run_not_found"],
  create_agent: ["agent_not_found", "version_not_found"],
  // Its agent exists, and is the caller's.
  create_version: ["version_not_found", "too_many_agents", "agent_id_taken", "user_not_found"],
  // These name no queue, and no version.
  get_admin_overview: ["queue_not_found"],
  list_queues: ["queue_not_found"],
  stop_daemon: ["version_not_found", "too_many_daemons"],
  // A message is for the current version, which is there and can't be archived.
  post_daemon_message: ["version_not_found", "version_archived"],
  control_daemon: ["version_archived"],
  // Other operations' faults, in the same file.
  create_user: ["user_not_found"],
  health: ["leaving", "postgres_down", "postgres_read_only", "no_worker"],
  health_live: ["leaving", "postgres_down", "postgres_read_only", "no_worker"],
};

it("each operation documents the errors that it throws, and no others", () => {
  const differences = operations
    // These tell what they catch, in their items or on their page.
    .filter(
      ({ name }) =>
        !["execute_batch", "backfill_job", "test_hook", "replay_hook_deliveries", "answer_question"].includes(name),
    )
    .map((operation) => {
      const thrown = [...codesThrownBy(operation)].filter((code) => !unreachable[operation.name]?.includes(code));
      const documented = [...errorsOf(operation)];
      const silent = thrown.filter((code) => !documented.includes(code));
      const invented = documented.filter((code) => !thrown.includes(code) && !shellCodes.has(code));
      return { name: operation.name, silent, invented };
    });
  expect(differences.filter(({ silent, invented }) => silent.length + invented.length > 0)).toEqual([]);
});

it("an error that is documented is thrown somewhere", () => {
  expect([...allCodes].filter((code) => !thrownCodes.has(code))).toEqual([]);
});
