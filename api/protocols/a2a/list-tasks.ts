import { pageBytes } from "../../../shared/domain/json/cut-page.ts";
import type { RunListItem } from "../../../shared/schemas/run.ts";
import { countListedRuns, listRuns } from "../../../shared/store/runs/read/list-runs.ts";
import type { ListParams } from "./params.ts";
import { contextOf, type Place, type ReadDeps, readTask, readTaskRun } from "./read-task.ts";
import { saidOf } from "./run-input.ts";
import type { Task } from "./task.ts";
import { statusesOf, taskStateOf } from "./task-state.ts";
import { withHistory } from "./with-history.ts";

type TaskPage = { tasks: Task[]; nextPageToken: string; pageSize: number; totalSize: number };

const defaultPageSize = 50;

/** Returns a page of an agent's tasks, the newest first. Artifacts, which need the tasks' whole output, only on request. */
export async function listTasks(deps: ReadDeps, place: Place, params: ListParams): Promise<TaskPage> {
  const { contextId, status, pageToken, historyLength, includeArtifacts } = params;
  const asked = status && status !== "TASK_STATE_UNSPECIFIED" ? statusesOf(status) : undefined;
  const filter = { agent_id: place.agent_id, thread_id: contextId ?? undefined, status: asked };
  const limit = params.pageSize ?? defaultPageSize;
  const page = { limit, after: pageToken ?? undefined, order: "desc" } as const;
  const { data, has_more, last_id } = await listRuns(
    deps.db,
    place.owner,
    { ...filter, include: ["input_payload"] },
    page,
  );
  const tasks = includeArtifacts ? await wholeTasks(deps, data, place) : data.map(summaryOf);
  const isCut = tasks.length < data.length;
  const last = isCut ? tasks.at(-1)?.id : last_id;
  return {
    tasks: tasks.map((task) => withHistory(task, historyLength ?? null)),
    nextPageToken: has_more || isCut ? (last ?? "") : "",
    pageSize: limit,
    totalSize: await countListedRuns(deps.db, place.owner, filter),
  };
}

/** One after the other: each task's output may be large. The page ends with the task that fills it. */
async function wholeTasks(deps: ReadDeps, runs: readonly RunListItem[], place: Place): Promise<Task[]> {
  const tasks: Task[] = [];
  let room = pageBytes;
  for (const { id } of runs) {
    const task = await wholeOf(deps, id, place);
    tasks.push(task);
    room -= JSON.stringify(task).length;
    if (room <= 0) break;
  }
  return tasks;
}

async function wholeOf(deps: ReadDeps, id: string, place: Place): Promise<Task> {
  return (await readTask(deps, await readTaskRun(deps, id, place), place.base)).translation.task();
}

/** Returns a task as far as its run's record has it. */
function summaryOf(run: RunListItem): Task {
  const contextId = contextOf(run);
  const input = {
    contextId,
    taskId: run.id,
    role: "ROLE_USER",
    ...saidOf({ ...run, input_payload: run.input_payload ?? {} }),
  } as const;
  const state = taskStateOf[run.status];
  const timestamp = run.completed_at ?? run.started_at ?? run.created_at;
  return { id: run.id, contextId, status: { state, timestamp }, history: [input], metadata: {} };
}
