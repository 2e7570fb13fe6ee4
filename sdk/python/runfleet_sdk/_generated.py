# Written by `npm run openapi` from docs/openapi.json. Do not edit.
# ruff: noqa
"""The schemas of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias


class AcceptedInput(TypedDict):
    id: str
    accepted_at: str
    repeated: bool
    """The run had it already."""


class AdaptersDataItem(TypedDict):
    adapter_type: Literal[
        "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
    ]
    available: bool
    """True when a live worker offers the adapter."""


class Adapters(TypedDict):
    data: list[AdaptersDataItem]


class AdminOverviewWorkers(TypedDict):
    active: int
    draining: int
    slots: int
    busy: int


class AdminOverviewRuns(TypedDict):
    scheduled: int
    queued: int
    running: int
    interrupted: int
    suspended: int


class AdminOverview(TypedDict):
    workers: AdminOverviewWorkers
    runs: AdminOverviewRuns
    last_day: Figures
    """Analytics of the runs that ended in the last 24 hours."""
    queues: list[QueueState]
    daemons: dict[str, int]
    """The number of daemons by status."""
    users: int
    agents: int


class AdminUser(TypedDict):
    id: str
    object: Literal["user"]
    name: str | None
    email: str | None
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    figures: Figures


class Agent(TypedDict):
    id: str
    object: Literal["agent"]
    user_id: str
    name: str
    version: str
    """The version that is shown here."""
    current_version: str
    status: Literal["active", "paused", "archived"]
    config: dict[str, Any]
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class AgentBodyConfigLimits(TypedDict):
    timeout_ms: NotRequired[int]
    """How long a run may take."""
    queue_ttl_ms: NotRequired[int]
    """A run that no worker claims within this time expires."""
    memory_mb: NotRequired[int]
    """The memory of a run and all of its processes."""
    cpu_ms: NotRequired[int]
    """The CPU time of a run and all of its processes."""
    pids: NotRequired[int]
    """How many processes and threads a run may have."""
    output_bytes: NotRequired[int]
    """How much a run may say."""
    files_bytes: NotRequired[int]
    """How much a run may write to its folders."""
    events: NotRequired[int]
    """How many events a run may send."""


class AgentBodyConfigNetwork2(TypedDict):
    allow: list[str]


class AgentBodyConfigRetry(TypedDict):
    max_attempts: int
    delay_ms: NotRequired[int]
    factor: NotRequired[float]
    max_delay_ms: NotRequired[int]


class AgentBodyConfigBudgetTree(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class AgentBodyConfigBudgetThread(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class AgentBodyConfigBudgetAgentDay(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class AgentBodyConfigBudget(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]
    tree: NotRequired[AgentBodyConfigBudgetTree]
    """What the calls of a run and of all runs that it starts, and they start, may cost together."""
    thread: NotRequired[AgentBodyConfigBudgetThread]
    """The same for all runs of a thread."""
    agent_day: NotRequired[AgentBodyConfigBudgetAgentDay]
    """The same for all of the agent's runs on a day, in UTC."""


class AgentBodyConfigApprovalsItem(TypedDict):
    method: NotRequired[str]
    host: NotRequired[str]
    path: NotRequired[str]


class AgentBodyConfig(TypedDict):
    entrypoint: NotRequired[str]
    """What is called: `main.py`, `main.py:name` or `agent.core:main`; `src/index.ts:main`."""
    source: NotRequired[str]
    """The text of a single file, stored under the entrypoint's file name, or as main.py or main.ts."""
    files: NotRequired[dict[str, str]]
    """The code: relative path → text or data URL. The command line reads it from the folder."""
    requirements: NotRequired[list[str]]
    """Python packages, like `httpx>=0.27`; wheels only. The command line reads them from requirements.txt
    or pyproject.toml.
    """
    command: NotRequired[list[str]]
    """For the adapter `command`: a program and its arguments."""
    output: NotRequired[Literal["text", "ndjson"]]
    """How the command's stdout is read: as text (default), or each line as an event."""
    url: NotRequired[str]
    """For the adapter `http`: the URL of the agent."""
    image: NotRequired[str]
    """For the adapter `container`: one of those that the operator lists."""
    adapter_type: NotRequired[
        Literal[
            "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
        ]
    ]
    """What runs the agent: `python` (default), `node`, `command`, `http` or `container`. `custom`,
    `langchain`, `langgraph` and `crewai` mean `python`, `process` means `command`.
    """
    pool: NotRequired[str]
    """The pool of workers that takes its runs, such as `gpu`; `default` if left out. Runs of a pool without
    workers wait.
    """
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    """How the agent's runs are isolated: `standard` (default), `isolated`, or `full` for runs with a
    network. A request may narrow it, and name it where the config doesn't.
    """
    env: NotRequired[dict[str, str]]
    """Environment variables, kept in clear. Keys belong in `secrets`."""
    limits: NotRequired[AgentBodyConfigLimits]
    """A run that exceeds a limit ends with that limit's error, and keeps what it said."""
    network: NotRequired[Literal["none"] | AgentBodyConfigNetwork2]
    """The hosts that `full` runs and the daemon may reach: a host, `*.domain` or `*`; a port is only needed
    for others than 80 and 443.
    """
    max_attempts: NotRequired[int]
    """A run ends after so many lost workers. 3 by default. Drains and answers start it again and aren't
    counted.
    """
    retry: NotRequired[AgentBodyConfigRetry]
    """A run whose agent fails is tried again. The delay grows by `factor` each time; by default 1 s, 2 s, 4
    s … 60 s.
    """
    budget: NotRequired[AgentBodyConfigBudget]
    """What a run may use. Calls by connections that don't fit are refused (402). Where no call was metered,
    a run that reports more is ended. US dollars; input and output tokens together.
    """
    concurrency: NotRequired[int]
    """How many of the agent's runs may run at the same time. The others wait."""
    reuse: NotRequired[bool]
    """One process executes the version's runs one after another, so that modules, connections and threads
    stay. For Python and Node. A run that is `isolated` or brings files of its own has a process of its
    own all the same.
    """
    key_concurrency: NotRequired[int]
    """How many of the agent's runs with the same `concurrency_key` may run at the same time."""
    stop_grace_ms: NotRequired[int]
    """How long a run that is cancelled or out of time may take to end by itself. 2000 by default; 0 kills
    at once.
    """
    idle_timeout_ms: NotRequired[int]
    """How long the process of an `interactive` thread waits for the next run. 5 minutes by default."""
    multitask_strategy: NotRequired[Literal["enqueue", "reject", "interrupt"]]
    """A run whose thread is busy: `enqueue` (default): it waits. `reject`: it is refused. `interrupt`: the
    runs before it are cancelled.
    """
    answer_page: NotRequired[Literal["link", "key", "off"]]
    """Who may answer its questions by their page. `link` (default): whoever has the address. `key`: with an
    API key, too. `off`: nobody.
    """
    input_schema: NotRequired[dict[str, Any]]
    """A JSON Schema of the input: a mismatch is a 422. `default`s of its properties are filled in."""
    output_schema: NotRequired[dict[str, Any]]
    """A JSON Schema of the result: a mismatch ends the run as an error."""
    secrets: NotRequired[list[str]]
    """Names of secrets that its runs get as environment variables."""
    connections: NotRequired[list[str]]
    """Names of connections: services that its runs may call by the gateway, which adds the keys."""
    approvals: NotRequired[list[AgentBodyConfigApprovalsItem]]
    """Calls by connections that leave only once a person has said yes. What a rule leaves out may be
    anything; `*` in a path stands for any characters.
    """


class AgentBody(TypedDict):
    user_id: str
    """The owner."""
    name: str
    id: NotRequired[str | None]
    """Left out: the service makes an id."""
    version: NotRequired[str]
    """Left out: `1.0.0` for a new agent. Another version is named by its content: the highest release, `+`,
    and 8 digits of the content's SHA-256. The same content is the same version.
    """
    dev: NotRequired[bool]
    """True: a version left out is a development version, `0.0.0-dev.` and 8 digits. `latest` and a rollback
    pass it over.
    """
    make_current: NotRequired[bool]
    """True: also make the version the current one, as `POST /v1/upgrade` does."""
    config: NotRequired[AgentBodyConfig | None]
    """The service reads the keys that are listed here. Any other key is the author's own: it is kept, and
    named in `warnings` of the answer.
    """
    metadata: NotRequired[dict[str, Any] | None]


class AgentErrorLast(TypedDict):
    run_id: str
    version: str
    message: str
    at: str


class AgentError(TypedDict):
    code: str
    count: int
    share: float
    """The share of all ended runs."""
    last: AgentErrorLast | None
    """The last run with this error, if it is among the agent's last 500 failures."""


class AgentErrors(TypedDict):
    agent_id: str
    since: str
    until: str
    runs: int
    data: list[AgentError]


class AgentListItem(TypedDict):
    id: str
    object: Literal["agent"]
    user_id: str
    name: str
    version: str
    """The version that is shown here."""
    current_version: str
    status: Literal["active", "paused", "archived"]
    config: NotRequired[dict[str, Any]]
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class AgentPatch(TypedDict):
    name: NotRequired[str]
    metadata: NotRequired[dict[str, Any] | None]
    """Merged into the existing metadata. Null removes a key, or all metadata."""


class AgentSecret(TypedDict):
    name: str
    tag: str | None
    created_at: str
    updated_at: str


class AgentSecrets(TypedDict):
    data: list[AgentSecret]


class AgentStatsDurationMs(TypedDict):
    p50: float | None
    p95: float | None
    p99: float | None


class AgentStatsQueueMs(TypedDict):
    p50: float | None
    p95: float | None
    p99: float | None


class AgentStats(TypedDict):
    agent_id: str
    since: str
    until: str
    runs: int
    by_status: dict[str, int]
    success_rate: float | None
    """The share of successful runs among the ended runs. Null: no run has ended."""
    duration_ms: AgentStatsDurationMs
    queue_ms: AgentStatsQueueMs
    cpu_ms: float
    input_tokens: float
    output_tokens: float
    last_run_at: str | None


class AgentVersion(TypedDict):
    object: Literal["agent_version"]
    agent_id: str
    version: str
    status: Literal["active", "deprecated", "archived"]
    current: bool
    state: Literal["building", "ready", "failed"]
    """`building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build."""
    tags: list[str]
    config: dict[str, Any]
    created_at: str


class AgentVersionListItem(TypedDict):
    object: Literal["agent_version"]
    agent_id: str
    version: str
    status: Literal["active", "deprecated", "archived"]
    current: bool
    state: Literal["building", "ready", "failed"]
    """`building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build."""
    tags: list[str]
    config: NotRequired[dict[str, Any]]
    created_at: str


class ApiKey(TypedDict):
    id: str
    object: Literal["api_key"]
    user_id: str
    name: str | None
    scopes: list[str]
    run_id: str | None
    requests_per_minute: int | None
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class ApiKeyBody(TypedDict):
    user_id: NotRequired[str | None]
    """The key's owner. Only an admin may name another user."""
    name: NotRequired[str | None]
    scopes: NotRequired[
        list[
            Literal[
                "*",
                "agents:read",
                "agents:write",
                "runs:read",
                "runs:write",
                "threads:read",
                "threads:write",
                "daemons:read",
                "daemons:write",
                "jobs:read",
                "jobs:write",
                "hooks:read",
                "hooks:write",
                "connections:read",
                "connections:write",
                "store:read",
                "store:write",
                "notifications:read",
                "notifications:write",
                "billing:read",
                "billing:write",
                "studio:read",
                "studio:write",
                "users:read",
                "users:write",
                "admin",
                "internal",
            ]
        ]
        | None
    ]
    """The key's scopes. Your own key must have them. Left out: `*`."""
    run_id: NotRequired[str | None]
    """Makes a read token of this run: it can only read the run, and may be part of a URL."""
    requests_per_minute: NotRequired[int | None]
    """A limit of this key's own, beside that of its user. At most that of the key of the request."""
    expires_at: NotRequired[str | None]
    """Left out: the key expires when the key of the request does, if that does; a run's read token expires
    in an hour at most.
    """


class Artifact(TypedDict):
    id: str
    object: Literal["artifact"]
    attempt: int
    name: str
    mime: str
    size: int
    sha256: str
    url: str
    created_at: str


class ArtifactEvent(TypedDict):
    type: Literal["artifact"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    name: str
    mime: str
    size: int
    sha256: str
    url: str


class AskingRunInterruptsItem(TypedDict):
    id: str
    reason: str
    message: str | None
    response_schema: dict[str, Any] | None
    expires_at: str


class AskingRun(TypedDict):
    run_id: str
    agent_id: str
    version: str
    thread_id: str | None
    user_id: str
    asked_at: str
    interrupts: list[AskingRunInterruptsItem]


class AuditEntry(TypedDict):
    id: str
    user_id: str | None
    actor: str
    action: str
    target_type: str
    target_id: str | None
    request_id: str | None
    ip: str | None
    detail: dict[str, Any]
    """What was done to the target, such as the version that became current. Never a secret."""
    created_at: str


class Backfill(TypedDict):
    fired: int
    skipped: int
    already_fired: int
    """Ticks that had made a run before."""
    data: list[JobTick]
    """The ticks that were tried now, oldest first."""


BackfillBody = TypedDict("BackfillBody", {"from": "str", "to": "str"})


class BatchResultDataItemError(TypedDict):
    code: str
    detail: Any


class BatchResultDataItem(TypedDict):
    index: int
    run_id: str | None
    error: BatchResultDataItemError | None
    """Why this request was refused. The other runs are started nevertheless."""


class BatchResult(TypedDict):
    accepted: int
    refused: int
    data: list[BatchResultDataItem]


class BillingEvent(TypedDict):
    id: str
    object: Literal["billing_event"]
    type: str
    status: Literal["applied", "waiting", "unreadable", "ignored"]
    """`waiting`: its user is not known yet. `unreadable`: it is kept aside, see `error`. `ignored`: its
    type changes nothing here.
    """
    object_id: str | None
    customer_id: str | None
    user_id: str | None
    error: str | None
    created: str
    """When the payment provider made it."""
    received_at: str
    applied_at: str | None


class BuildFilesItem(TypedDict):
    name: str
    size: int


class Build(TypedDict):
    object: Literal["build"]
    agent_id: str
    version: str
    state: Literal["building", "ready", "failed"]
    """`building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build."""
    error: str | None
    """Why the build failed."""
    log: str
    """What it printed, the last 256 KiB."""
    lock: str | None
    """The packages, exactly: package-lock.json, or for Python a line of name, version and hash for each."""
    files: list[BuildFilesItem]
    """What it made."""
    attempts: int
    started_at: str | None
    ended_at: str | None


class BuildEndedEvent(TypedDict):
    state: Literal["building", "ready", "failed"]
    """`building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build."""
    error: str | None


class BuildLogEvent(TypedDict):
    text: str


class BulkCancelBodyFilter(TypedDict):
    status: NotRequired[
        Literal[
            "scheduled",
            "queued",
            "running",
            "interrupted",
            "suspended",
            "success",
            "error",
            "timeout",
            "cancelled",
            "expired",
        ]
        | list[
            Literal[
                "scheduled",
                "queued",
                "running",
                "interrupted",
                "suspended",
                "success",
                "error",
                "timeout",
                "cancelled",
                "expired",
            ]
        ]
    ]
    """Only runs with this status. Several, with commas between: any of them."""
    agent_id: NotRequired[str | list[str]]
    """Only runs of this agent. Several, with commas between: any of them."""
    version: NotRequired[str | list[str]]
    """Only runs of this version. The name must be exact. Several, with commas between: any of them."""
    user_id: NotRequired[str]
    """Only things of this user."""
    thread_id: NotRequired[str]
    """Only runs of this thread."""
    job_id: NotRequired[str]
    """Only runs that this job made."""
    replay_of: NotRequired[str]
    """Only runs that ran this run again."""
    bulk_id: NotRequired[str]
    """Only runs that this bulk operation has made."""
    parent_run_id: NotRequired[str]
    """Only runs that this run has started."""
    root_run_id: NotRequired[str]
    """Only runs of the tree below this run: those that it has started, those that they have started."""
    worker_id: NotRequired[str]
    """Only runs whose last attempt this worker executed."""
    origin: NotRequired[Literal["api", "job", "daemon", "replay", "run"]]
    """Only runs that were started this way."""
    lifecycle: NotRequired[Literal["serverless", "interactive", "daemon"]]
    """Only runs of this lifecycle."""
    error_code: NotRequired[str]
    """Only runs whose error has this code. With `status=error` a page looks further back."""
    min_duration_ms: NotRequired[int]
    """Only runs that took so long at least."""
    tag: NotRequired[str]
    """Only things with this tag."""
    metadata: NotRequired[dict[str, str]]
    """Only things whose metadata has this text, number or boolean, as in `metadata[customer]=ada`. Several
    must all match.
    """
    since: NotRequired[str]
    """Created at or after this time."""
    until: NotRequired[str]
    """Created before this time."""
    search: NotRequired[str]
    """Only runs with this text in an id, the input, the result or the error. An input or result of more
    than 64 KiB is not searched. A page searches at most 10,000 runs, so it may have fewer than `limit`
    results and still `has_more`. Continue after its `last_id`.
    """


class BulkCancelBody(TypedDict):
    filter: NotRequired[BulkCancelBodyFilter]
    """The conditions of the list of runs, at least one, unless `run_ids` names runs. An unknown field is a
    422.
    """
    run_ids: NotRequired[list[str]]
    """Only these runs, as far as the filter matches them."""
    preview: NotRequired[bool]
    """True: only count the runs, and show some of them."""


class BulkOperation(TypedDict):
    id: str
    object: Literal["bulk_operation"]
    user_id: str
    action: Literal["cancel", "replay"]
    filter: dict[str, Any]
    status: Literal["pending", "running", "done", "error"]
    total: int
    """The number of matching runs when the operation was requested. At least: where no index serves a
    condition, such as `search`, only the newest 10,000 runs are counted. The operation itself is about
    all that match.
    """
    done: int
    failed: int
    created_at: str
    finished_at: str | None


class BulkPreviewExamplesItem(TypedDict):
    id: str
    agent_id: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    created_at: str


class BulkPreview(TypedDict):
    action: Literal["cancel", "replay"]
    total: int
    """The number of runs that match now. At least: where no index serves a condition, such as `search`,
    only the newest 10,000 runs are counted. The operation itself is about all that match.
    """
    more: bool
    """True: there are older runs, which were not counted."""
    examples: list[BulkPreviewExamplesItem]
    """The newest runs that match, at most 10."""


class BulkReplayBodyFilter(TypedDict):
    status: NotRequired[
        Literal[
            "scheduled",
            "queued",
            "running",
            "interrupted",
            "suspended",
            "success",
            "error",
            "timeout",
            "cancelled",
            "expired",
        ]
        | list[
            Literal[
                "scheduled",
                "queued",
                "running",
                "interrupted",
                "suspended",
                "success",
                "error",
                "timeout",
                "cancelled",
                "expired",
            ]
        ]
    ]
    """Only runs with this status. Several, with commas between: any of them."""
    agent_id: NotRequired[str | list[str]]
    """Only runs of this agent. Several, with commas between: any of them."""
    version: NotRequired[str | list[str]]
    """Only runs of this version. The name must be exact. Several, with commas between: any of them."""
    user_id: NotRequired[str]
    """Only things of this user."""
    thread_id: NotRequired[str]
    """Only runs of this thread."""
    job_id: NotRequired[str]
    """Only runs that this job made."""
    replay_of: NotRequired[str]
    """Only runs that ran this run again."""
    bulk_id: NotRequired[str]
    """Only runs that this bulk operation has made."""
    parent_run_id: NotRequired[str]
    """Only runs that this run has started."""
    root_run_id: NotRequired[str]
    """Only runs of the tree below this run: those that it has started, those that they have started."""
    worker_id: NotRequired[str]
    """Only runs whose last attempt this worker executed."""
    origin: NotRequired[Literal["api", "job", "daemon", "replay", "run"]]
    """Only runs that were started this way."""
    lifecycle: NotRequired[Literal["serverless", "interactive", "daemon"]]
    """Only runs of this lifecycle."""
    error_code: NotRequired[str]
    """Only runs whose error has this code. With `status=error` a page looks further back."""
    min_duration_ms: NotRequired[int]
    """Only runs that took so long at least."""
    tag: NotRequired[str]
    """Only things with this tag."""
    metadata: NotRequired[dict[str, str]]
    """Only things whose metadata has this text, number or boolean, as in `metadata[customer]=ada`. Several
    must all match.
    """
    since: NotRequired[str]
    """Created at or after this time."""
    until: NotRequired[str]
    """Created before this time."""
    search: NotRequired[str]
    """Only runs with this text in an id, the input, the result or the error. An input or result of more
    than 64 KiB is not searched. A page searches at most 10,000 runs, so it may have fewer than `limit`
    results and still `has_more`. Continue after its `last_id`.
    """


BulkReplayBody = TypedDict(
    "BulkReplayBody",
    {
        "version": "NotRequired[str | None]",
        "input_payload": "NotRequired[dict[str, Any] | None]",
        "from": "NotRequired[str | None]",
        "set": "NotRequired[dict[str, Any] | None]",
        "filter": "NotRequired[BulkReplayBodyFilter]",
        "run_ids": "NotRequired[list[str]]",
        "preview": "NotRequired[bool]",
    },
)


class CallEndEvent(TypedDict):
    type: Literal["call.end"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    call: int
    connection: str
    status: int | None
    model: str | None
    counted: Literal["metered", "estimated", "unknown"] | None
    input_tokens: float
    cached_tokens: float
    output_tokens: float
    cost_usd: float | None
    """Null: the model's price isn't known."""
    request_bytes: float
    response_bytes: float
    duration_ms: int
    recorded: bool


CallMissedEvent = TypedDict(
    "CallMissedEvent",
    {
        "type": "Literal['call.missed']",
        "run_id": "str",
        "attempt": "int",
        "seq": "int",
        "ts": "str",
        "call": "int",
        "path": "str",
        "at": "str | None",
        "was": "str | None",
        "is": "str | None",
        "hint": "str | None",
    },
)


class CallStartEvent(TypedDict):
    type: Literal["call.start"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    call: int
    """The number of the call in its attempt."""
    connection: str
    method: str
    host: str
    path: str
    model: str | None


class CallbackSecret(TypedDict):
    secret: str


class CheckoutBody(TypedDict):
    user_id: NotRequired[str | None]
    """The user. Left out: the caller."""
    plan_id: NotRequired[str | None]
    """The plan to subscribe to. Send this or `amount_usd_cents`."""
    amount_usd_cents: NotRequired[int | None]
    """The amount of a wallet top-up. Send this or `plan_id`."""
    success_url: str
    cancel_url: NotRequired[str | None]


class ChildEndedEvent(TypedDict):
    type: Literal["child.ended"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    key: str
    """The same on every attempt."""
    name: str
    child_run_id: str | None
    """Null: it was not started."""
    status: str
    """As the run ended, `refused` for one that was not started, or `deleted`."""
    code: str | None
    """Of the run's error, or why it was not started."""


class ChildStartedEvent(TypedDict):
    type: Literal["child.started"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    key: str
    """The same on every attempt."""
    name: str
    child_run_id: str
    agent_id: str
    detached: bool
    """It goes on when this run ends, and this run doesn't wait for it."""


class CompletedRunFilesItem(TypedDict):
    name: str
    size: int
    sha256: str


class CompletedRunError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class CompletedRunUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class CompletedRunUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class CompletedRunUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[CompletedRunUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[CompletedRunUsageReported]
    """With `metered`: what the agent said."""


class CompletedRunSandbox(TypedDict):
    level: int
    name: str
    layers: list[str]


class CompletedRunRequestOptions(TypedDict):
    priority: NotRequired[float]
    queue_ttl_ms: NotRequired[float]
    timeout_ms: NotRequired[float]
    max_attempts: NotRequired[float]
    max_cost_usd: NotRequired[float]
    max_tokens: NotRequired[float]
    concurrency_key: NotRequired[str]
    key_concurrency: NotRequired[float]


class CompletedRunInterruptsItem(TypedDict):
    id: str
    reason: str
    message: str | None
    response_schema: dict[str, Any] | None
    expires_at: str
    answer_url: NotRequired[str]
    """The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path
    on this service. Only those are told it who may resume the run.
    """


class CompletedRun(TypedDict):
    id: str
    run_id: str
    object: Literal["run"]
    agent_id: str
    version: str
    thread_id: str | None
    user_id: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    attempt: int
    max_attempts: int
    adapter_type: str
    runtime_mode: str
    lifecycle: str
    input_payload: Any
    env_names: list[str]
    files: list[CompletedRunFilesItem]
    result_content: Any
    error: CompletedRunError | None
    current_status: str | None
    state_snapshot: str | None
    usage: CompletedRunUsage | None
    sandbox: CompletedRunSandbox | None
    worker_id: str | None
    origin: Literal["api", "job", "daemon", "replay", "run"]
    replay_of: str | None
    job_id: str | None
    parent_run_id: str | None
    """The run that has started it; null: none."""
    root_run_id: str | None
    """The run at the root of its tree; null: it is none's child."""
    detached: bool
    """Whether it goes on when the run that has started it ends."""
    tags: list[str]
    metadata: dict[str, Any]
    timeout_ms: int
    request_options: CompletedRunRequestOptions | None
    """What the run's request asked beside its input; null: nothing."""
    wait_reason: (
        Literal[
            "no_worker", "concurrency_limit", "concurrency_key", "thread_busy", "paused", "building", "retry", "delay"
        ]
        | None
    )
    """Why the run waits, if the service knows."""
    created_at: str
    scheduled_at: str | None
    """When a `scheduled` run is queued for its first or its next attempt."""
    started_at: str | None
    completed_at: str | None
    queue_ms: int | None
    duration_ms: int | None
    interrupts: list[CompletedRunInterruptsItem]
    """What an interrupted run waits for; else empty."""
    callback: RunCallback | None
    completed: bool
    already_completed: bool


class Completion(TypedDict):
    status: NotRequired[Literal["success", "error", "failed", "failure", "timeout", "cancelled", "canceled"]]
    """`failed` and `failure` mean error, `canceled` means cancelled."""
    result_content: NotRequired[dict[str, Any] | None]
    duration_ms: NotRequired[int | None]
    """Null: measured by the service."""


class Connection(TypedDict):
    id: str
    object: Literal["connection"]
    user_id: str
    agent_id: str | None
    name: str
    preset: Literal["openai", "anthropic", "google", "mistral", "openrouter", "azure", "openai_compatible"] | None
    base_url: str
    kind: Literal["bearer", "header", "basic"]
    header: str | None
    username: str | None
    requests_per_minute: int | None
    tokens_per_minute: int | None
    created_at: str
    updated_at: str


class ConnectionBody(TypedDict):
    preset: NotRequired[
        Literal["openai", "anthropic", "google", "mistral", "openrouter", "azure", "openai_compatible"] | None
    ]
    """The service. It gives the address, how the key is sent, and the variables that the service's
    libraries read. `azure` and `openai_compatible` need `base_url`. Left out: any other service, by
    `base_url` and `kind`.
    """
    base_url: NotRequired[str | None]
    """The service's address, where the preset's isn't meant."""
    kind: NotRequired[Literal["bearer", "header", "basic"] | None]
    """How the secret is sent: `bearer` token, in the `header` that is named, or as `username`'s password
    (`basic`).
    """
    header: NotRequired[str | None]
    """For the kind `header`: the header's name."""
    username: NotRequired[str | None]
    """For the kind `basic`."""
    secret: str
    """The key or password: visible ASCII without blanks. It is stored encrypted and never returned."""
    requests_per_minute: NotRequired[int | None]
    """More calls wait. Counted by each worker's gateway."""
    tokens_per_minute: NotRequired[int | None]
    """The same for input and output tokens."""


class CostsDataItem(TypedDict):
    runs: int
    """The number of ended runs."""
    success: int
    error: int
    timeout: int
    cancelled: int
    expired: int
    success_rate: float | None
    """The share of successful runs among the ended runs. Null: no run has ended."""
    duration_ms: float
    """The sum of all durations."""
    cpu_ms: float
    input_tokens: float
    output_tokens: float
    cost_usd: float
    id: str
    """The id of the user or the agent."""


class Costs(TypedDict):
    since: str
    until: str
    by: Literal["user", "agent"]
    total: Figures
    data: list[CostsDataItem]
    """Most expensive first."""


class CurrentSessionPrincipal(TypedDict):
    kind: Literal["key", "bootstrap"]
    id: str
    """The key's id."""


class CurrentSession(TypedDict):
    object: Literal["session"]
    id: str | None
    """Null: the request has no session. It may have a key."""
    auth_mode: Literal["open", "key"]
    user_id: str | None
    """Null: nobody is signed in."""
    principal: CurrentSessionPrincipal | None
    scopes: list[str]
    admin: bool
    """True when the things of all users are shown."""
    expires_at: str | None


class CustomEvent(TypedDict):
    type: Literal["custom"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    name: str
    value: Any


class DaemonLastExit(TypedDict):
    code: int | None
    signal: str | None
    reason: str | None
    at: str


class DaemonHealth(TypedDict):
    state: Literal["healthy", "degraded", "unknown"]
    last_progress_at: str | None
    busy: bool
    """True while the daemon handles a message."""


class Daemon(TypedDict):
    agent_id: str
    object: Literal["daemon"]
    version: str
    desired: Literal["running", "paused", "stopped"]
    status: Literal["stopped", "starting", "running", "degraded", "paused", "stopping", "crashed", "backoff", "failed"]
    worker_id: str | None
    pid: int | None
    restarts: int
    """The number of restarts since the daemon was last started by request."""
    last_exit: DaemonLastExit | None
    health: DaemonHealth
    previous_version: str | None
    """While an upgrade is watched: the version to which the daemon is rolled back when it is not healthy."""
    started_at: str | None
    uptime_ms: int | None
    in_flight: int
    """The number of messages that are being handled."""
    mailbox_depth: int
    """The number of waiting messages."""


class DaemonControl(TypedDict):
    version: NotRequired[str | None]
    """For start and restart: an exact version, a tag, `current` or `latest`. Null: not changed."""
    env_vars: NotRequired[dict[str, str] | None]
    """For start and restart: the environment variables of the process, which are stored encrypted. Null:
    not changed.
    """
    grace_ms: NotRequired[int | None]
    """The grace period in which the process may end by itself. Left out: 10 s."""
    agent_id: str
    """The same as in the path."""
    action: NotRequired[Literal["status", "start", "stop", "restart", "pause", "resume", "kill", "message"]]
    """`status` changes nothing."""
    payload: NotRequired[dict[str, Any] | None]
    """For message: the input of the daemon's `on_message`."""


class DaemonControlled(TypedDict):
    agent_id: str
    action: Literal["status", "start", "stop", "restart", "pause", "resume", "kill", "message"]
    changed: bool
    """False: the daemon had the desired state already."""
    daemon: Daemon
    run_id: str | None
    """For message: the id of the message's run."""


class DaemonLogLine(TypedDict):
    id: str
    level: str
    stream: Literal["stdout", "stderr", "agent", "daemon"]
    """`daemon`: a line of the daemon's supervisor."""
    message: str
    ts: str


class DaemonMessage(TypedDict):
    payload: NotRequired[dict[str, Any]]
    """The input of `on_message`."""
    run_id: NotRequired[str | None]
    """A repeated request with the same id and payload refers to the same message."""


class DaemonMessageToWebhookDataLastExit(TypedDict):
    code: int | None
    signal: str | None
    reason: str | None
    at: str


class DaemonMessageToWebhookData(TypedDict):
    agent_id: str
    version: str
    status: Literal["stopped", "starting", "running", "degraded", "paused", "stopping", "crashed", "backoff", "failed"]
    previous_status: Literal[
        "stopped", "starting", "running", "degraded", "paused", "stopping", "crashed", "backoff", "failed"
    ]
    restarts: int
    last_exit: DaemonMessageToWebhookDataLastExit | None


class DaemonMessageToWebhook(TypedDict):
    type: str
    timestamp: str
    agent_id: str
    version: str
    data: DaemonMessageToWebhookData


class DaemonSettings(TypedDict):
    version: NotRequired[str | None]
    """For start and restart: an exact version, a tag, `current` or `latest`. Null: not changed."""
    env_vars: NotRequired[dict[str, str] | None]
    """For start and restart: the environment variables of the process, which are stored encrypted. Null:
    not changed.
    """
    grace_ms: NotRequired[int | None]
    """The grace period in which the process may end by itself. Left out: 10 s."""


class DaemonStop(TypedDict):
    grace_ms: NotRequired[int | None]
    """The grace period in which the process may end by itself. Left out: 10 s."""


class DeadLetter(TypedDict):
    id: str
    object: Literal["dead_letter"]
    user_id: str
    run_id: str | None
    webhook_id: str | None
    type: str
    url_host: str
    tries: int
    last_error: str | None
    created_at: str


DeliveryTriesItem = TypedDict(
    "DeliveryTriesItem",
    {
        "try": "int",
        "status_code": "int | None",
        "error": "str | None",
        "hint": "str | None",
        "duration_ms": "int",
        "at": "str",
    },
)


class Delivery(TypedDict):
    id: str
    object: Literal["delivery"]
    webhook_id: str
    type: str
    run_id: str | None
    status: Literal["pending", "delivered", "exhausted"]
    attempts: int
    last_error: str | None
    next_attempt_at: str | None
    created_at: str
    delivered_at: str | None
    tries: list[DeliveryTriesItem]
    payload: NotRequired[Any]
    """The body that is sent, with `?include=payload`. Null: the run's record as `GET /v1/runs/{run_id}` has
    it at the time of a try.
    """


class DismissedWorker(TypedDict):
    id: str
    dismissal: Literal["drain", "kill"]


DistributionStepsItem = TypedDict("DistributionStepsItem", {"from": "float", "to": "float", "count": "int"})


class Distribution(TypedDict):
    p50: float | None
    p95: float | None
    p99: float | None
    steps: list[DistributionStepsItem]
    """The histogram: the number of values with `from` ≤ value < `to`, in steps of the square root of 2."""


class ErrorAnswer(TypedDict):
    detail: str
    code: str
    request_id: str


class ErrorGroupVersionsItem(TypedDict):
    version: str
    count: int


class ErrorGroup(TypedDict):
    object: Literal["error_group"]
    fingerprint: str
    """The same for errors that are alike: of the same agent, code and type, raised in the same function,
    with the same message apart from numbers and ids.
    """
    agent_id: str
    user_id: str
    code: str
    type: str | None
    """The class of the agent's exception. Null: there was none."""
    message: str
    """That of the newest run, at most 1,000 characters."""
    frame: str | None
    """The file and function that raised it. Null: it has no traceback."""
    count: int
    """The number of failed runs."""
    share: float
    """The share of all failed runs that were looked at."""
    first_at: str
    """When the oldest of the runs was created."""
    last_at: str
    last_run_id: str
    versions: list[ErrorGroupVersionsItem]
    """The versions that most of the runs had, at most ten."""
    trend: list[int]
    """The number of runs in each of 24 equal parts of the time range."""
    state: Literal["open", "resolved", "ignored"]
    state_changed_at: str | None
    state_changed_by: str | None
    regressed: bool
    """True: it was resolved, and came back."""


class ErrorGroupDetailsVersionsItem(TypedDict):
    version: str
    count: int


class ErrorGroupDetails(TypedDict):
    object: Literal["error_group"]
    fingerprint: str
    """The same for errors that are alike: of the same agent, code and type, raised in the same function,
    with the same message apart from numbers and ids.
    """
    agent_id: str
    user_id: str
    code: str
    type: str | None
    """The class of the agent's exception. Null: there was none."""
    message: str
    """That of the newest run, at most 1,000 characters."""
    frame: str | None
    """The file and function that raised it. Null: it has no traceback."""
    count: int
    """The number of failed runs."""
    share: float
    """The share of all failed runs that were looked at."""
    first_at: str
    """When the oldest of the runs was created."""
    last_at: str
    last_run_id: str
    versions: list[ErrorGroupDetailsVersionsItem]
    """The versions that most of the runs had, at most ten."""
    trend: list[int]
    """The number of runs in each of 24 equal parts of the time range."""
    state: Literal["open", "resolved", "ignored"]
    state_changed_at: str | None
    state_changed_by: str | None
    regressed: bool
    """True: it was resolved, and came back."""
    traceback: str | None
    """That of the newest run."""
    run_ids: list[str]
    """Its runs, newest first, at most 1000: what `POST /v1/runs/bulk/replay` takes."""


class ErrorGroupPatch(TypedDict):
    state: Literal["open", "resolved", "ignored"]
    """`resolved`: the group is open again when a run fails with the error later. `ignored`: it stays
    ignored until it is opened.
    """


class ErrorGroups(TypedDict):
    since: str
    until: str
    failures: int
    """The failed runs that were looked at: the newest 5,000 at most."""
    more: bool
    """True: older failed runs of the time range were not looked at."""
    data: list[ErrorGroup]
    """The group with most runs comes first."""


class ExecuteBatch(TypedDict):
    requests: list[ExecuteRequest]


class ExecuteRequestDebounce(TypedDict):
    key: str
    delay_ms: int


class ExecuteRequest(TypedDict):
    agent_id: str
    """The agent to run."""
    version: str
    """An exact version, a tag, `current` or `latest`."""
    input_payload: NotRequired[dict[str, Any]]
    """The input of the agent's `main`."""
    env_vars: NotRequired[dict[str, str]]
    """Environment variables. They are stored encrypted and deleted when the run ends."""
    files: NotRequired[dict[str, str]]
    """Files by relative path. The content is text or a data URL of at most 5 MiB. The whole request has at
    most 6 MiB.
    """
    history: NotRequired[list[Any]]
    state_snapshot: NotRequired[str]
    """The state that an earlier run saved. The service does not interpret it."""
    thread_id: NotRequired[str | None]
    """The thread of the run. An unknown id creates a thread."""
    adapter_type: NotRequired[
        Literal[
            "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
        ]
    ]
    """`python` or left out: the adapter in the version's config, else Python. Another one than the config's
    is a 422 `adapter_mismatch`.
    """
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    lifecycle: NotRequired[Literal["serverless", "interactive", "daemon"]]
    run_id: NotRequired[str | None]
    """An id for the run, which no other run gets once it was executed, also when it is deleted. A repeated
    request with the same id and body attaches to the existing run.
    """
    metadata: NotRequired[dict[str, Any]]
    """The client's own data on the run, by which lists are filtered."""
    tags: NotRequired[list[str]]
    """The client's own words for the run, by which lists are filtered."""
    completion_callback_url: NotRequired[str | None]
    """This URL gets a POST when the run has ended."""
    delay_ms: NotRequired[int | None]
    """The run is queued after this time."""
    run_at: NotRequired[str | None]
    """The run is queued at this time. A time that has passed is now."""
    debounce: NotRequired[ExecuteRequestDebounce | None]
    """The run is queued after `delay_ms`. A request for the same agent with the same key that comes earlier
    replaces the waiting run's request and starts its delay again; its answer is the same run. An
    `Idempotency-Key` is not looked at.
    """
    priority: NotRequired[int | None]
    """While runs wait, this one goes before its user's runs that came up to so many seconds earlier."""
    queue_ttl_ms: NotRequired[int | None]
    """The run expires when no worker claims it within this time."""
    timeout_ms: NotRequired[int | None]
    """The run ends as `timeout` after this time."""
    max_attempts: NotRequired[int | None]
    """The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an
    answer start its agent again and aren't counted.
    """
    max_cost_usd: NotRequired[float | None]
    """What the run may cost. Calls by connections that don't fit are refused (402). Where no call was
    metered, a run that reports more is ended (`budget_exceeded`).
    """
    max_tokens: NotRequired[int | None]
    """The same for input and output tokens together."""
    concurrency_key: NotRequired[str | None]
    """Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait."""
    key_concurrency: NotRequired[int | None]
    """Left out: the `key_concurrency` of the agent's config, else 1."""


class Figures(TypedDict):
    runs: int
    """The number of ended runs."""
    success: int
    error: int
    timeout: int
    cancelled: int
    expired: int
    success_rate: float | None
    """The share of successful runs among the ended runs. Null: no run has ended."""
    duration_ms: float
    """The sum of all durations."""
    cpu_ms: float
    input_tokens: float
    output_tokens: float
    cost_usd: float


class FiguresBucket(TypedDict):
    runs: int
    """The number of ended runs."""
    success: int
    error: int
    timeout: int
    cancelled: int
    expired: int
    success_rate: float | None
    """The share of successful runs among the ended runs. Null: no run has ended."""
    duration_ms: float
    """The sum of all durations."""
    cpu_ms: float
    input_tokens: float
    output_tokens: float
    cost_usd: float
    start: str
    latency_ms: Percentiles


class Fleet(TypedDict):
    data: list[FleetWorker]


class FleetHistoryDataItem(TypedDict):
    at: str
    """When the step begins."""
    slots: int
    busy: int
    """Slots that were taken."""
    queued: int
    """Runs that were queued."""
    oldest_ms: float | None
    """For how long the oldest queued run had waited."""


class FleetHistory(TypedDict):
    object: Literal["fleet_history"]
    since: str
    until: str
    step_ms: int
    """How long each step is: a minute, or longer where there would be more than 120 steps."""
    data: list[FleetHistoryDataItem]


class FleetWorker(TypedDict):
    id: str
    host: str
    pid: int
    software: str
    slots: int
    busy: int
    adapters: list[str]
    pool: str
    """It takes runs of this pool only."""
    sandbox: WorkerSandbox
    status: str
    started_at: str
    heartbeat_at: str


class ForkBody(TypedDict):
    thread_id: NotRequired[str | None]
    """The new thread's id. Left out: the service makes one."""
    run_id: NotRequired[str | None]
    """The last run whose messages and state are copied. Left out: all runs."""
    title: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    """Replaces the metadata of the original thread."""


class GapEventFrom(TypedDict):
    attempt: int
    seq: int


class GapEventTo(TypedDict):
    attempt: int
    seq: int


GapEvent = TypedDict(
    "GapEvent",
    {
        "type": "Literal['gap']",
        "run_id": "str",
        "attempt": "int",
        "seq": "int",
        "ts": "str",
        "from": "GapEventFrom",
        "to": "GapEventTo",
        "reason": "str",
    },
)


class HTTPValidationError(TypedDict):
    detail: NotRequired[list[ValidationError]]


class HealthPoolsItem(TypedDict):
    pool: str
    workers: int
    queued: int
    oldest_ms: float | None
    """For how long its oldest queued run waits."""


class Health(TypedDict):
    status: Literal["ok", "degraded"]
    version: str
    auth: Literal["open", "key"]
    postgres: Literal["up", "read_only", "down"]
    redis: Literal["up", "down"]
    workers: int
    pools: list[HealthPoolsItem]
    """The pools of workers. A pool with queued runs and no workers needs a worker. With keys
    (AUTH_MODE=key) the pools but for `default` are one, `*`: agents name pools, and anybody may ask
    here. `/metrics` has each of them.
    """
    sandbox_levels: list[int]
    """The isolation levels of the live workers."""
    sandbox_missing: list[str]
    """Why live workers have no stronger level."""


class HookSignature(TypedDict):
    header: str
    algorithm: Literal["sha256", "sha512", "sha1"]
    encoding: Literal["hex", "base64"]


class HookSignal(TypedDict):
    run_id: str
    name: str


class HookLastRefusal(TypedDict):
    at: str
    code: str


class Hook(TypedDict):
    id: str
    object: Literal["hook"]
    user_id: str
    agent_id: str
    version: str
    runtime_mode: Literal["standard", "isolated", "full"]
    url: str
    """Where the sender POSTs its deliveries. Without PUBLIC_URL it is the path on this service."""
    verify: Literal["github", "stripe", "slack", "standard", "hmac", "none"]
    signature: HookSignature | None
    filter: dict[str, Any] | None
    map: dict[str, Any] | None
    dedupe: str | None
    thread: str | None
    signal: HookSignal | None
    has_secret: bool
    """False: deliveries are refused until a secret is set. The scheme `none` needs no secret."""
    previous_secret_until: str | None
    """Until then the secret before the last rotation is accepted, too."""
    respond: Literal["accepted", "result"]
    status: Literal["active", "paused"]
    last_refusal: HookLastRefusal | None
    """The last request that was no delivery, such as one with an invalid signature."""
    description: str | None
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class HookBodySignature(TypedDict):
    header: str
    """The header with the signature."""
    algorithm: NotRequired[Literal["sha256", "sha512", "sha1"]]
    encoding: NotRequired[Literal["hex", "base64"]]


class HookBodySignal(TypedDict):
    run_id: str
    name: str


class HookBody(TypedDict):
    agent_id: str
    """The agent that runs. Its owner is the owner of the hook and its runs."""
    version: NotRequired[str]
    """An exact version, a tag, `current` or `latest`, looked up at each delivery."""
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    verify: Literal["github", "stripe", "slack", "standard", "hmac", "none"]
    """Who signs the deliveries, and how: `github`, `stripe`, `slack`, `standard` (Standard Webhooks),
    `hmac` (an HMAC of the body in a header, see `signature`), or `none`: whoever knows the address may
    start runs.
    """
    signature: NotRequired[HookBodySignature | None]
    """For `hmac` only: the header, such as `X-Hub-Signature`, and the signature's form. A prefix such as
    `sha256=` is allowed.
    """
    secret: NotRequired[str | None]
    """The secret that the sender signs with. Left out for `github`, `standard` and `hmac`: one is made and
    shown once. For `stripe` and `slack` it can follow by `POST /v1/hooks/{hook_id}/rotate`, since they
    make it themselves.
    """
    filter: NotRequired[dict[str, Any] | None]
    """What a delivery must hold to start a run: values by JSON pointer into `headers`, `query` and `body`.
    A value may be a list (one of them) or `{"not": …}`; null means absent. Other deliveries are answered
    200 and start nothing.
    """
    map: NotRequired[dict[str, Any] | None]
    """The run's input. A text that is `{/body/issue/title}` becomes that value of the delivery, of any
    type; within a longer text it is inserted. Left out: the body.
    """
    dedupe: NotRequired[str | None]
    """Deliveries for which this text is the same are one delivery, as in `{/body/id}`. Left out: the id
    that the sender gives its deliveries; with `hmac` and `none` each request is a delivery of its own.
    """
    thread: NotRequired[str | None]
    """The run's thread, as in `pr-{/body/number}`. A delivery without that value has no thread."""
    signal: NotRequired[HookBodySignal | None]
    """The delivery starts no run: it is a signal to one that waits, by `context.wait_for(name)`. `run_id`
    says where the delivery names the run, as in `{/body/data/object/metadata/run_id}`; it must be a run
    of the hook's owner. The payload is what `map` gives.
    """
    respond: NotRequired[Literal["accepted", "result"]]
    """accepted: 202 as soon as the run is stored. result: the result of the run, if it succeeds within 25
    s; else as `accepted`.
    """
    description: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class HookDeliveryError(TypedDict):
    code: str
    message: str


class HookDelivery(TypedDict):
    id: str
    object: Literal["hook_delivery"]
    hook_id: str
    event: str | None
    """The type of the event in the sender's words, where it tells one."""
    dedupe_key: str | None
    status: Literal["pending", "accepted", "filtered", "failed", "handshake"]
    """accepted: it has started a run, or is kept as a signal to one. filtered: the hook's filter left it
    out. failed: nothing could come of it; see `error`. handshake: a test of the sender. pending: the run
    is being stored.
    """
    run_id: str | None
    error: HookDeliveryError | None
    bytes: int
    repeats: int
    """How often the same delivery came again."""
    replays: int
    """How often `POST /v1/hooks/{hook_id}/replay` repeated it."""
    created_at: str


class HookPatchSignature(TypedDict):
    header: str
    """The header with the signature."""
    algorithm: NotRequired[Literal["sha256", "sha512", "sha1"]]
    encoding: NotRequired[Literal["hex", "base64"]]


class HookPatchSignal(TypedDict):
    run_id: str
    name: str


class HookPatch(TypedDict):
    version: NotRequired[str]
    """An exact version, a tag, `current` or `latest`, looked up at each delivery."""
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    signature: NotRequired[HookPatchSignature]
    """For `hmac` only: the header, such as `X-Hub-Signature`, and the signature's form. A prefix such as
    `sha256=` is allowed.
    """
    filter: NotRequired[dict[str, Any] | None]
    """What a delivery must hold to start a run: values by JSON pointer into `headers`, `query` and `body`.
    A value may be a list (one of them) or `{"not": …}`; null means absent. Other deliveries are answered
    200 and start nothing. It is replaced as a whole.
    """
    map: NotRequired[dict[str, Any] | None]
    """The run's input. A text that is `{/body/issue/title}` becomes that value of the delivery, of any
    type; within a longer text it is inserted. Left out: the body. It is replaced as a whole.
    """
    dedupe: NotRequired[str | None]
    """Deliveries for which this text is the same are one delivery, as in `{/body/id}`. Left out: the id
    that the sender gives its deliveries; with `hmac` and `none` each request is a delivery of its own.
    """
    thread: NotRequired[str | None]
    """The run's thread, as in `pr-{/body/number}`. A delivery without that value has no thread."""
    signal: NotRequired[HookPatchSignal | None]
    """The delivery starts no run: it is a signal to one that waits, by `context.wait_for(name)`. `run_id`
    says where the delivery names the run, as in `{/body/data/object/metadata/run_id}`; it must be a run
    of the hook's owner. The payload is what `map` gives. It is replaced as a whole.
    """
    respond: NotRequired[Literal["accepted", "result"]]
    """accepted: 202 as soon as the run is stored. result: the result of the run, if it succeeds within 25
    s; else as `accepted`.
    """
    status: NotRequired[Literal["active", "paused"]]
    """The deliveries of a paused hook are refused with 409 `hook_paused`."""
    description: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    """Merged into the existing metadata. Null removes a key, or all metadata."""


class HookReceipt(TypedDict):
    received: Literal[True]
    delivery_id: str
    status: Literal["pending", "accepted", "filtered", "failed", "handshake"]
    run_id: str | None
    duplicate: bool
    """True: the same delivery came before."""


class HookTestSignal(TypedDict):
    run_id: str
    name: str
    payload: Any


class HookTestError(TypedDict):
    code: str
    message: str


class HookTest(TypedDict):
    matched: bool
    """Whether the hook's filter lets it start a run."""
    event: str | None
    dedupe_key: str | None
    thread_id: str | None
    input_payload: dict[str, Any] | None
    signal: HookTestSignal | None
    """What it would say to which run, of a hook that sends signals."""
    error: HookTestError | None
    """Why such a delivery would start no run now."""


class HostedPage(TypedDict):
    id: str
    url: str


class InternalJob(TypedDict):
    name: str
    summary: str
    every_ms: int | None
    """Null: the job is only started by request."""
    last_run: InternalJobTurn | None


class InternalJobTurn(TypedDict):
    id: str
    name: str
    status: Literal["running", "success", "error"]
    triggered_by: str
    """`clock`, or the caller that started it."""
    dry_run: bool
    result: dict[str, float] | None
    """What the job did: numbers by name."""
    error: str | None
    started_at: str
    finished_at: str | None
    duration_ms: int | None


class InternalJobs(TypedDict):
    data: list[InternalJob]


class InterruptAnswer(TypedDict):
    response: Any
    """The value that the agent's `interrupt()` returns. Any JSON."""
    interrupt_id: NotRequired[str | None]
    """The id of the interrupt. Left out: the open one."""


class Invoice(TypedDict):
    id: str
    object: Literal["invoice"]
    user_id: str
    number: str | None
    status: str
    """The payment provider's status, such as `open` or `paid`."""
    currency: str
    amount_due: int
    """In the currency's smallest unit."""
    amount_paid: int
    period_start: str | None
    period_end: str | None
    hosted_url: str | None
    provider_subscription_id: str | None
    created_at: str
    updated_at: str


class Job(TypedDict):
    id: str
    object: Literal["job"]
    user_id: str
    agent_id: str
    version: str
    """As in the request. `current`, `latest` and tags are resolved at each tick."""
    name: str | None
    input_payload: dict[str, Any]
    env_names: list[str]
    file_names: list[str]
    thread_id: str | None
    adapter_type: str | None
    """Null: the adapter in the version's config."""
    runtime_mode: str
    lifecycle: str
    callback_host: str | None
    schedule: str | None
    timezone: str
    jitter_ms: int | None
    overlap: Literal["skip", "allow", "cancel_previous"]
    catch_up: Literal["none", "last"]
    status: Literal["active", "paused", "completed", "cancelled"]
    """completed: the job has no further ticks."""
    next_tick_at: str | None
    last_tick: JobTick | None
    ends_at: str | None
    tags: list[str]
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class JobBody(TypedDict):
    agent_id: str
    """The agent to run."""
    version: str
    """An exact version, a tag, `current` or `latest`."""
    input_payload: NotRequired[dict[str, Any]]
    """The input of the agent's `main`."""
    env_vars: NotRequired[dict[str, str]]
    """Environment variables. They are stored encrypted and deleted when the run ends."""
    files: NotRequired[dict[str, str]]
    """Files by relative path. The content is text or a data URL of at most 5 MiB. The whole request has at
    most 6 MiB.
    """
    history: NotRequired[list[Any]]
    state_snapshot: NotRequired[str]
    """The state that an earlier run saved. The service does not interpret it."""
    thread_id: NotRequired[str | None]
    """The thread of the run. An unknown id creates a thread."""
    adapter_type: NotRequired[
        Literal[
            "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
        ]
    ]
    """`python` or left out: the adapter in the version's config, else Python. Another one than the config's
    is a 422 `adapter_mismatch`.
    """
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    lifecycle: NotRequired[Literal["serverless", "interactive", "daemon"]]
    metadata: NotRequired[dict[str, Any] | None]
    """The metadata of the job's runs, together with `scheduled_at`."""
    tags: NotRequired[list[str]]
    """The client's own words for the run, by which lists are filtered."""
    completion_callback_url: NotRequired[str | None]
    """This URL gets a POST when the run has ended."""
    priority: NotRequired[int | None]
    """While runs wait, this one goes before its user's runs that came up to so many seconds earlier."""
    queue_ttl_ms: NotRequired[int | None]
    """The run expires when no worker claims it within this time."""
    timeout_ms: NotRequired[int | None]
    """The run ends as `timeout` after this time."""
    max_attempts: NotRequired[int | None]
    """The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an
    answer start its agent again and aren't counted.
    """
    max_cost_usd: NotRequired[float | None]
    """What the run may cost. Calls by connections that don't fit are refused (402). Where no call was
    metered, a run that reports more is ended (`budget_exceeded`).
    """
    max_tokens: NotRequired[int | None]
    """The same for input and output tokens together."""
    concurrency_key: NotRequired[str | None]
    """Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait."""
    key_concurrency: NotRequired[int | None]
    """Left out: the `key_concurrency` of the agent's config, else 1."""
    name: NotRequired[str | None]
    schedule: NotRequired[str | None]
    """A cron expression (5 fields, or 6 with seconds), an interval such as `every 5m` (s, m, h, d), or an
    RFC 3339 time for a single run. Left out: a single run now.
    """
    timezone: NotRequired[str]
    """The IANA time zone of the cron expression."""
    jitter_ms: NotRequired[int | None]
    """Each run of the schedule starts at its own, fixed moment within this time after its tick, so that
    jobs of the same hour don't start at once.
    """
    overlap: NotRequired[Literal["skip", "allow", "cancel_previous"]]
    """What happens at a tick while a run of the job has not ended. skip: the tick makes no run. allow: the
    new run is started besides the old one. cancel_previous: the old run is cancelled.
    """
    catch_up: NotRequired[Literal["none", "last"]]
    """What happens to ticks that no worker fired for more than a minute. none: they are skipped. last: the
    last one fires.
    """
    ends_at: NotRequired[str | None]
    """The job has no ticks after this time."""


class JobListItem(TypedDict):
    id: str
    object: Literal["job"]
    user_id: str
    agent_id: str
    version: str
    """As in the request. `current`, `latest` and tags are resolved at each tick."""
    name: str | None
    input_payload: NotRequired[dict[str, Any]]
    env_names: list[str]
    file_names: list[str]
    thread_id: str | None
    adapter_type: str | None
    """Null: the adapter in the version's config."""
    runtime_mode: str
    lifecycle: str
    callback_host: str | None
    schedule: str | None
    timezone: str
    jitter_ms: int | None
    overlap: Literal["skip", "allow", "cancel_previous"]
    catch_up: Literal["none", "last"]
    status: Literal["active", "paused", "completed", "cancelled"]
    """completed: the job has no further ticks."""
    next_tick_at: str | None
    last_tick: JobTick | None
    ends_at: str | None
    tags: list[str]
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class JobPatch(TypedDict):
    name: NotRequired[str | None]
    version: NotRequired[str]
    input_payload: NotRequired[dict[str, Any] | None]
    env_vars: NotRequired[dict[str, Any] | None]
    """Merged by name. Null removes an entry, or all."""
    files: NotRequired[dict[str, Any] | None]
    """Merged by name. Null removes an entry, or all."""
    history: NotRequired[list[Any] | None]
    state_snapshot: NotRequired[str | None]
    thread_id: NotRequired[str | None]
    adapter_type: NotRequired[
        Literal[
            "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
        ]
        | None
    ]
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"] | None]
    lifecycle: NotRequired[Literal["serverless", "interactive", "daemon"] | None]
    completion_callback_url: NotRequired[str | None]
    priority: NotRequired[int | None]
    """While runs wait, this one goes before its user's runs that came up to so many seconds earlier."""
    queue_ttl_ms: NotRequired[int | None]
    """The run expires when no worker claims it within this time."""
    timeout_ms: NotRequired[int | None]
    """The run ends as `timeout` after this time."""
    max_attempts: NotRequired[int | None]
    """The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an
    answer start its agent again and aren't counted.
    """
    max_cost_usd: NotRequired[float | None]
    """What the run may cost. Calls by connections that don't fit are refused (402). Where no call was
    metered, a run that reports more is ended (`budget_exceeded`).
    """
    max_tokens: NotRequired[int | None]
    """The same for input and output tokens together."""
    concurrency_key: NotRequired[str | None]
    """Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait."""
    key_concurrency: NotRequired[int | None]
    """Left out: the `key_concurrency` of the agent's config, else 1."""
    schedule: NotRequired[str | None]
    """A cron expression (5 fields, or 6 with seconds), an interval such as `every 5m` (s, m, h, d), or an
    RFC 3339 time for a single run. Left out: a single run now.
    """
    timezone: NotRequired[str | None]
    jitter_ms: NotRequired[int | None]
    overlap: NotRequired[Literal["skip", "allow", "cancel_previous"] | None]
    catch_up: NotRequired[Literal["none", "last"] | None]
    ends_at: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    metadata: NotRequired[dict[str, Any] | None]


class JobTick(TypedDict):
    id: str
    object: Literal["job_tick"]
    scheduled_at: str
    outcome: Literal["fired", "skipped", "missed"]
    """fired: the tick made a run. skipped: the tick made no run; see `reason`. missed: no worker fired the
    tick in time.
    """
    manual: bool
    """True: fired by `POST /v1/jobs/{job_id}/trigger`, not by the schedule."""
    reason: str | None
    """Why the tick was skipped, such as still_running, agent_not_active or owner_queue_full."""
    run_id: str | None


class JournalEntryError(TypedDict):
    type: str
    module: str
    message: str


class JournalEntry(TypedDict):
    place: int
    key: str
    kind: str
    """`step`, `question`, `timer`, `signal`, `late`, `messages`, `url` or `abandoned`."""
    name: str
    branch: str
    position: int
    args: str | None
    """A hash of the arguments."""
    ok: bool
    result: str | None
    """JSON, as the agent's process wrote it."""
    error: JournalEntryError | None
    signal: str | None
    """The name of the signal that ended the wait."""


class LatencyDistribution(TypedDict):
    agent_id: str
    since: str
    until: str
    duration_ms: Distribution
    queue_ms: Distribution


class LimitsOpenRuns(TypedDict):
    queued: int
    running: int


class Limits(TypedDict):
    request: dict[str, float]
    run: dict[str, float]
    queue_ttl_ms: int
    requests_per_minute: int | None
    """The limit of this key, or of its user where that is lower. Null: no limit."""
    open_runs: LimitsOpenRuns


class LogEvent(TypedDict):
    type: Literal["log"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    level: str
    stream: Literal["stderr", "agent"]
    message: str


class MessageAcceptedEvent(TypedDict):
    type: Literal["message.accepted"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    message_id: str
    sent_id: str
    """The sender's id, or `message_id`."""


class MessageRequest(TypedDict):
    payload: Any
    """What the agent's `new_messages` returns: a text, or any other JSON."""
    id: NotRequired[str | None]
    """The sender's. A message of the same id is kept once."""


class MessageTakenEvent(TypedDict):
    type: Literal["message.taken"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    key: str
    """The same on every attempt."""
    message_ids: list[str]


class NamespaceSearch(TypedDict):
    user_id: NotRequired[str | None]
    """Whose item. Left out: the caller's."""
    prefix: NotRequired[list[str] | None]
    """Only namespaces that begin with it. `*` is any label."""
    suffix: NotRequired[list[str] | None]
    """Only namespaces that end with it. `*` is any label."""
    max_depth: NotRequired[int | None]
    """Namespaces are cut after so many labels."""
    limit: NotRequired[int]
    offset: NotRequired[int]


class NewApiKey(TypedDict):
    id: str
    object: Literal["api_key"]
    user_id: str
    name: str | None
    scopes: list[str]
    run_id: str | None
    requests_per_minute: int | None
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None
    key: str
    """The key. Send it as `Authorization: Bearer <key>`, or as `X-Api-Key: <key>`."""


class NewDaemon(TypedDict):
    version: NotRequired[str | None]
    """For start and restart: an exact version, a tag, `current` or `latest`. Null: not changed."""
    env_vars: NotRequired[dict[str, str] | None]
    """For start and restart: the environment variables of the process, which are stored encrypted. Null:
    not changed.
    """
    grace_ms: NotRequired[int | None]
    """The grace period in which the process may end by itself. Left out: 10 s."""
    agent_id: str


class NewHookSignature(TypedDict):
    header: str
    algorithm: Literal["sha256", "sha512", "sha1"]
    encoding: Literal["hex", "base64"]


class NewHookSignal(TypedDict):
    run_id: str
    name: str


class NewHookLastRefusal(TypedDict):
    at: str
    code: str


class NewHook(TypedDict):
    id: str
    object: Literal["hook"]
    user_id: str
    agent_id: str
    version: str
    runtime_mode: Literal["standard", "isolated", "full"]
    url: str
    """Where the sender POSTs its deliveries. Without PUBLIC_URL it is the path on this service."""
    verify: Literal["github", "stripe", "slack", "standard", "hmac", "none"]
    signature: NewHookSignature | None
    filter: dict[str, Any] | None
    map: dict[str, Any] | None
    dedupe: str | None
    thread: str | None
    signal: NewHookSignal | None
    has_secret: bool
    """False: deliveries are refused until a secret is set. The scheme `none` needs no secret."""
    previous_secret_until: str | None
    """Until then the secret before the last rotation is accepted, too."""
    respond: Literal["accepted", "result"]
    status: Literal["active", "paused"]
    last_refusal: NewHookLastRefusal | None
    """The last request that was no delivery, such as one with an invalid signature."""
    description: str | None
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    secret: str | None
    """The secret if the service made it, to be set at the sender. It is only shown in this answer."""


class NewWebhook(TypedDict):
    id: str
    object: Literal["webhook"]
    user_id: str
    url: str
    description: str | None
    events: list[str]
    agent_ids: list[str]
    statuses: list[str]
    tags: list[str]
    status: Literal["active", "paused", "disabled"]
    """`disabled`: the service disabled the webhook; `disabled_reason` says why."""
    disabled_reason: str | None
    failures: int
    """The number of given up deliveries since the last successful one."""
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    secret: str
    """The secret of the Standard Webhooks signature. It is only shown in this answer."""


class Notification(TypedDict):
    id: str
    object: Literal["notification"]
    user_id: str
    type: str
    level: Literal["info", "warning", "error"]
    title: str
    body: str | None
    data: dict[str, Any]
    agent_id: str | None
    run_id: str | None
    dedup_key: str | None
    created_at: str
    read_at: str | None


class NotificationBody(TypedDict):
    user_id: NotRequired[str | None]
    """The user to notify. Left out: the caller."""
    type: str
    level: NotRequired[Literal["info", "warning", "error"]]
    title: str
    body: NotRequired[str | None]
    data: NotRequired[dict[str, Any] | None]
    agent_id: NotRequired[str | None]
    run_id: NotRequired[str | None]
    dedup_key: NotRequired[str | None]
    """A name for the cause. A second notification with the same key is not created."""


class NotificationMessageData(TypedDict):
    id: str
    object: Literal["notification"]
    user_id: str
    type: str
    level: Literal["info", "warning", "error"]
    title: str
    body: str | None
    data: dict[str, Any]
    agent_id: str | None
    run_id: str | None
    dedup_key: str | None
    created_at: str


class NotificationMessage(TypedDict):
    type: str
    timestamp: str
    data: NotificationMessageData


class NotificationPut(TypedDict):
    read: bool


class OutputDeltaEvent(TypedDict):
    type: Literal["output.delta"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    content: Any


class PastState(TypedDict):
    id: str
    run_id: str
    object: Literal["thread_state"]
    thread_id: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    state_snapshot: str | None
    created_at: str
    completed_at: str


class PausedAgent(TypedDict):
    id: str
    object: Literal["agent"]
    user_id: str
    name: str
    version: str
    """The version that is shown here."""
    current_version: str
    status: Literal["active", "paused", "archived"]
    config: dict[str, Any]
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    cancelled_runs: int


class Payment(TypedDict):
    id: str
    object: Literal["payment"]
    user_id: str
    status: str
    """`succeeded`, `failed` or `pending`."""
    currency: str
    amount: int
    """In the currency's smallest unit."""
    amount_micro_usd: int | None
    wallet_micro_usd: int
    """The part of the payment that is in the wallet."""
    refunded_amount: int
    disputed: bool
    failure_message: str | None
    description: str | None
    provider_invoice_id: str | None
    created_at: str
    updated_at: str


class Percentiles(TypedDict):
    p50: float | None
    p95: float | None
    p99: float | None


class Plan(TypedDict):
    id: str
    object: Literal["plan"]
    name: str
    price_micro_usd: int
    """Micro-USD: 1 USD is 1,000,000."""
    interval: str
    provider_price_id: str | None
    weekly_runs: int | None
    weekly_micro_usd: int | None
    max_concurrent_runs: int | None
    max_queued_runs: int | None
    requests_per_minute: int | None
    prepaid: bool
    second_micro_usd: int
    """Micro-USD: 1 USD is 1,000,000."""
    active: bool
    created_at: str
    updated_at: str


class PlanBody(TypedDict):
    name: str
    price_micro_usd: NotRequired[int]
    interval: NotRequired[Literal["month", "year"]]
    provider_price_id: NotRequired[str | None]
    """The id of the plan's price at the payment provider."""
    weekly_runs: NotRequired[int | None]
    """Null: no limit. The same holds for the other limits."""
    weekly_micro_usd: NotRequired[int | None]
    max_concurrent_runs: NotRequired[int | None]
    """The largest number of runs that have not ended, including queued ones."""
    max_queued_runs: NotRequired[int | None]
    """The largest number of runs that wait in the queue, including delayed ones."""
    requests_per_minute: NotRequired[int | None]
    """Requests of each user with all keys together. Null: as RATE_LIMIT_PER_MINUTE says."""
    prepaid: NotRequired[bool]
    """True: runs are paid from the wallet, and an empty wallet refuses runs."""
    second_micro_usd: NotRequired[int]
    """The price of a second of run time, in addition to the `cost_usd` that the agent reports."""
    active: NotRequired[bool]
    """False: users can't choose the plan any more."""


class PortalBody(TypedDict):
    user_id: NotRequired[str | None]
    """The user. Left out: the caller."""
    return_url: str


class PreferencesPreferencesItem(TypedDict):
    type: str
    in_app: bool
    webhook: bool


class Preferences(TypedDict):
    user_id: str
    preferences: list[PreferencesPreferencesItem]


class PreferencesBodyPreferencesItem(TypedDict):
    type: str
    in_app: NotRequired[bool]
    """Show notifications of the type in the list and the stream."""
    webhook: NotRequired[bool]
    """Send notifications of the type to webhooks that subscribe to it."""


class PreferencesBody(TypedDict):
    preferences: list[PreferencesBodyPreferencesItem]


class Progress(TypedDict):
    value: NotRequired[float | None]
    """From 0 to 1."""
    message: NotRequired[str | None]
    """The run's new `current_status`."""


class ProgressEvent(TypedDict):
    type: Literal["progress"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    value: float | None
    message: str | None


class PublishedAgentWarningsItem(TypedDict):
    code: str
    message: str


class PublishedAgent(TypedDict):
    id: str
    object: Literal["agent"]
    user_id: str
    name: str
    version: str
    """The version that is shown here."""
    current_version: str
    status: Literal["active", "paused", "archived"]
    config: NotRequired[dict[str, Any]]
    """Left out when it has more than 16 KiB."""
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    warnings: list[PublishedAgentWarningsItem]
    """Keys of the config that the service doesn't read, and what has no effect."""


class PublishedVersionWarningsItem(TypedDict):
    code: str
    message: str


class PublishedVersion(TypedDict):
    object: Literal["agent_version"]
    agent_id: str
    version: str
    status: Literal["active", "deprecated", "archived"]
    current: bool
    state: Literal["building", "ready", "failed"]
    """`building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build."""
    tags: list[str]
    config: NotRequired[dict[str, Any]]
    """Left out when it has more than 16 KiB."""
    created_at: str
    warnings: list[PublishedVersionWarningsItem]
    """Keys of the config that the service doesn't read, and what has no effect."""


class QueueState(TypedDict):
    name: Literal["runs", "callbacks"]
    paused: bool
    paused_by: str | None
    paused_at: str | None
    waiting: int
    """The number of queued runs, or of callbacks to be sent."""
    active: int
    """The number of running runs, or of callbacks that are being sent."""
    oldest_ms: int | None
    """How long the oldest due entry has waited."""
    dead: int
    """The number of given up callbacks."""
    nudges: dict[str, float] | None
    """The numbers of queue jobs in Redis. Null: Redis is unreachable."""


class Queues(TypedDict):
    data: list[QueueState]


class ReadAnswer(TypedDict):
    changed: int


class ReadNotifications(TypedDict):
    ids: list[str]


class RedeliverBody(TypedDict):
    delivery_id: NotRequired[str | None]
    """The one delivery to repeat. Left out: those since `since`."""
    since: NotRequired[str | None]
    """Deliveries of events at or after this time."""
    until: NotRequired[str | None]
    """Deliveries of events before this time."""
    after: NotRequired[str | None]
    """The `last_id` of the previous answer, while it says `has_more`."""
    status: NotRequired[Literal["pending", "delivered", "exhausted"]]
    """Which of them: by default those that were given up."""


class Redelivery(TypedDict):
    object: Literal["redelivery"]
    redelivered: int
    has_more: bool
    last_id: str | None


ReplayBody = TypedDict(
    "ReplayBody",
    {
        "version": "NotRequired[str | None]",
        "input_payload": "NotRequired[dict[str, Any] | None]",
        "from": "NotRequired[str | None]",
        "set": "NotRequired[dict[str, Any] | None]",
        "env_vars": "NotRequired[dict[str, str]]",
        "files": "NotRequired[dict[str, str]]",
        "state_snapshot": "NotRequired[str]",
        "completion_callback_url": "NotRequired[str | None]",
    },
)


class ReplayDivergedEvent(TypedDict):
    type: Literal["replay.diverged"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    key: str
    """The same on every attempt."""
    name: str
    before: str
    """What the run that is run again did here."""
    dropped: int
    """How many of its steps are done anew, or not at all."""


class ReplayHookBody(TypedDict):
    delivery_id: NotRequired[str | None]
    """The one delivery to repeat. Left out: those since `since`."""
    since: NotRequired[str | None]
    """Deliveries of events at or after this time."""
    until: NotRequired[str | None]
    """Deliveries of events before this time."""
    after: NotRequired[str | None]
    """The `last_id` of the previous answer, while it says `has_more`."""
    status: NotRequired[Literal["failed", "accepted", "pending"]]
    """Which of them: by default those that could start no run."""


class ReplayedDeliveries(TypedDict):
    data: list[HookDelivery]
    """The deliveries as they are now, each with its new run or its error."""
    has_more: bool
    last_id: str | None


class ResumedRunFilesItem(TypedDict):
    name: str
    size: int
    sha256: str


class ResumedRunError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class ResumedRunUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class ResumedRunUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class ResumedRunUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[ResumedRunUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[ResumedRunUsageReported]
    """With `metered`: what the agent said."""


class ResumedRunSandbox(TypedDict):
    level: int
    name: str
    layers: list[str]


class ResumedRunRequestOptions(TypedDict):
    priority: NotRequired[float]
    queue_ttl_ms: NotRequired[float]
    timeout_ms: NotRequired[float]
    max_attempts: NotRequired[float]
    max_cost_usd: NotRequired[float]
    max_tokens: NotRequired[float]
    concurrency_key: NotRequired[str]
    key_concurrency: NotRequired[float]


class ResumedRunInterruptsItem(TypedDict):
    id: str
    reason: str
    message: str | None
    response_schema: dict[str, Any] | None
    expires_at: str
    answer_url: NotRequired[str]
    """The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path
    on this service. Only those are told it who may resume the run.
    """


class ResumedRun(TypedDict):
    id: str
    run_id: str
    object: Literal["run"]
    agent_id: str
    version: str
    thread_id: str | None
    user_id: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    attempt: int
    max_attempts: int
    adapter_type: str
    runtime_mode: str
    lifecycle: str
    input_payload: Any
    env_names: list[str]
    files: list[ResumedRunFilesItem]
    result_content: Any
    error: ResumedRunError | None
    current_status: str | None
    state_snapshot: str | None
    usage: ResumedRunUsage | None
    sandbox: ResumedRunSandbox | None
    worker_id: str | None
    origin: Literal["api", "job", "daemon", "replay", "run"]
    replay_of: str | None
    job_id: str | None
    parent_run_id: str | None
    """The run that has started it; null: none."""
    root_run_id: str | None
    """The run at the root of its tree; null: it is none's child."""
    detached: bool
    """Whether it goes on when the run that has started it ends."""
    tags: list[str]
    metadata: dict[str, Any]
    timeout_ms: int
    request_options: ResumedRunRequestOptions | None
    """What the run's request asked beside its input; null: nothing."""
    wait_reason: (
        Literal[
            "no_worker", "concurrency_limit", "concurrency_key", "thread_busy", "paused", "building", "retry", "delay"
        ]
        | None
    )
    """Why the run waits, if the service knows."""
    created_at: str
    scheduled_at: str | None
    """When a `scheduled` run is queued for its first or its next attempt."""
    started_at: str | None
    completed_at: str | None
    queue_ms: int | None
    duration_ms: int | None
    interrupts: list[ResumedRunInterruptsItem]
    """What an interrupted run waits for; else empty."""
    callback: RunCallback | None
    after: str
    """The id of the event that asked. The stream goes on after it."""


class Rollback(TypedDict):
    agent_id: str
    version: NotRequired[str | None]
    """Null: the version that was published before the current one."""


class RotateHookBody(TypedDict):
    secret: NotRequired[str | None]
    """The secret that the sender made. Left out: one is made, but for `stripe` and `slack`."""
    overlap_ms: NotRequired[int]
    """How long the previous secret is accepted, too. 0: no longer, as when it has leaked."""


class RunFilesItem(TypedDict):
    name: str
    size: int
    sha256: str


class RunError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunUsageReported]
    """With `metered`: what the agent said."""


class RunSandbox(TypedDict):
    level: int
    name: str
    layers: list[str]


class RunRequestOptions(TypedDict):
    priority: NotRequired[float]
    queue_ttl_ms: NotRequired[float]
    timeout_ms: NotRequired[float]
    max_attempts: NotRequired[float]
    max_cost_usd: NotRequired[float]
    max_tokens: NotRequired[float]
    concurrency_key: NotRequired[str]
    key_concurrency: NotRequired[float]


class RunInterruptsItem(TypedDict):
    id: str
    reason: str
    message: str | None
    response_schema: dict[str, Any] | None
    expires_at: str
    answer_url: NotRequired[str]
    """The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path
    on this service. Only those are told it who may resume the run.
    """


class Run(TypedDict):
    id: str
    run_id: str
    object: Literal["run"]
    agent_id: str
    version: str
    thread_id: str | None
    user_id: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    attempt: int
    max_attempts: int
    adapter_type: str
    runtime_mode: str
    lifecycle: str
    input_payload: Any
    env_names: list[str]
    files: list[RunFilesItem]
    result_content: Any
    error: RunError | None
    current_status: str | None
    state_snapshot: str | None
    usage: RunUsage | None
    sandbox: RunSandbox | None
    worker_id: str | None
    origin: Literal["api", "job", "daemon", "replay", "run"]
    replay_of: str | None
    job_id: str | None
    parent_run_id: str | None
    """The run that has started it; null: none."""
    root_run_id: str | None
    """The run at the root of its tree; null: it is none's child."""
    detached: bool
    """Whether it goes on when the run that has started it ends."""
    tags: list[str]
    metadata: dict[str, Any]
    timeout_ms: int
    request_options: RunRequestOptions | None
    """What the run's request asked beside its input; null: nothing."""
    wait_reason: (
        Literal[
            "no_worker", "concurrency_limit", "concurrency_key", "thread_busy", "paused", "building", "retry", "delay"
        ]
        | None
    )
    """Why the run waits, if the service knows."""
    created_at: str
    scheduled_at: str | None
    """When a `scheduled` run is queued for its first or its next attempt."""
    started_at: str | None
    completed_at: str | None
    queue_ms: int | None
    duration_ms: int | None
    interrupts: list[RunInterruptsItem]
    """What an interrupted run waits for; else empty."""
    callback: RunCallback | None


class RunArtifacts(TypedDict):
    data: list[Artifact]


class RunBegunMessage(TypedDict):
    type: Literal["run.queued", "run.started"]
    timestamp: str
    agent_id: str
    version: str
    run_id: str
    thread_id: str | None
    attempt: int
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]


class RunCall(TypedDict):
    id: str
    object: Literal["call"]
    run_id: str
    attempt: int
    call: int
    """The number of the call in its attempt."""
    connection: str
    method: str
    host: str
    path: str
    status: int | None
    """Null: the service didn't answer."""
    model: str | None
    counted: Literal["metered", "estimated", "unknown"] | None
    """metered: the service's own count. estimated: the answer was cut, or doesn't tell its usage. unknown:
    the call left and wasn't answered, and isn't billed. Null: the call has no tokens.
    """
    input_tokens: int
    cached_tokens: int
    """Of the input: what the service had in its cache."""
    output_tokens: int
    cost_micro_usd: int | None
    """Null: the model's price isn't known."""
    request_bytes: int
    response_bytes: int
    duration_ms: int
    recorded: bool
    """The answer came from the run's journal: nothing was sent."""
    created_at: str
    """When it ended."""


class RunCallback(TypedDict):
    url_host: str
    status: Literal["waiting", "pending", "delivered", "exhausted"]
    attempts: int
    last_error: str | None
    next_attempt_at: str | None


RunCallbacksDataItem = TypedDict(
    "RunCallbacksDataItem",
    {
        "try": "int",
        "status_code": "int | None",
        "error": "str | None",
        "hint": "str | None",
        "duration_ms": "int",
        "at": "str",
    },
)


class RunCallbacks(TypedDict):
    callback: RunCallback | None
    data: list[RunCallbacksDataItem]


class RunCancelledEventError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunCancelledEventUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunCancelledEventUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunCancelledEventUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunCancelledEventUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunCancelledEventUsageReported]
    """With `metered`: what the agent said."""


class RunCancelledEvent(TypedDict):
    type: Literal["run.cancelled"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    status: Literal["success", "error", "timeout", "cancelled", "expired"]
    result_content: Any
    error: RunCancelledEventError | None
    partial: Any
    state_snapshot: str | None
    usage: RunCancelledEventUsage | None
    duration_ms: int


class RunChangedError(TypedDict):
    code: str
    type: str | None
    message: str


class RunChangedUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunChangedUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunChangedUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunChangedUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunChangedUsageReported]
    """With `metered`: what the agent said."""


class RunChanged(TypedDict):
    type: Literal["run.changed"]
    matches: bool
    """False: the run is no longer in the list that the filters describe."""
    id: str
    user_id: str
    agent_id: str
    version: str
    thread_id: str | None
    job_id: str | None
    replay_of: str | None
    worker_id: str | None
    origin: Literal["api", "job", "daemon", "replay", "run"]
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    attempt: int
    max_attempts: int
    input_preview: str | None
    """The first 200 characters of the input as JSON. Null: there is none, or it is very large."""
    error: RunChangedError | None
    usage: RunChangedUsage | None
    created_at: str
    scheduled_at: str | None
    started_at: str | None
    completed_at: str | None
    queue_ms: int | None
    duration_ms: int | None


class RunChangesResync(TypedDict):
    type: Literal["resync"]
    reason: Literal["start", "too_many", "too_old"]
    """`start`: the stream begins here. `too_many`: more runs changed at once than the stream tells.
    `too_old`: too much has changed since the id that the stream was to go on after.
    """


class RunCountsDataItem(TypedDict):
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    count: int
    more: bool
    """True: there are more than are counted."""


class RunCounts(TypedDict):
    data: list[RunCountsDataItem]


class RunEndedMessageError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunEndedMessageUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunEndedMessageUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunEndedMessageUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunEndedMessageUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunEndedMessageUsageReported]
    """With `metered`: what the agent said."""


class RunEndedMessageDataError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunEndedMessageDataUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunEndedMessageDataUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunEndedMessageDataUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunEndedMessageDataUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunEndedMessageDataUsageReported]
    """With `metered`: what the agent said."""


class RunEndedMessageDataSandbox(TypedDict):
    level: int
    name: str
    layers: list[str]


class RunEndedMessageDataRequestOptions(TypedDict):
    priority: NotRequired[float]
    queue_ttl_ms: NotRequired[float]
    timeout_ms: NotRequired[float]
    max_attempts: NotRequired[float]
    max_cost_usd: NotRequired[float]
    max_tokens: NotRequired[float]
    concurrency_key: NotRequired[str]
    key_concurrency: NotRequired[float]


class RunEndedMessageData(TypedDict):
    id: str
    run_id: str
    object: Literal["run"]
    agent_id: str
    version: str
    thread_id: str | None
    user_id: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    attempt: int
    max_attempts: int
    adapter_type: str
    runtime_mode: str
    lifecycle: str
    result_content: Any
    error: RunEndedMessageDataError | None
    current_status: str | None
    usage: RunEndedMessageDataUsage | None
    sandbox: RunEndedMessageDataSandbox | None
    worker_id: str | None
    origin: Literal["api", "job", "daemon", "replay", "run"]
    replay_of: str | None
    job_id: str | None
    parent_run_id: str | None
    """The run that has started it; null: none."""
    root_run_id: str | None
    """The run at the root of its tree; null: it is none's child."""
    detached: bool
    """Whether it goes on when the run that has started it ends."""
    tags: list[str]
    metadata: dict[str, Any]
    timeout_ms: int
    request_options: RunEndedMessageDataRequestOptions | None
    """What the run's request asked beside its input; null: nothing."""
    wait_reason: (
        Literal[
            "no_worker", "concurrency_limit", "concurrency_key", "thread_busy", "paused", "building", "retry", "delay"
        ]
        | None
    )
    """Why the run waits, if the service knows."""
    created_at: str
    scheduled_at: str | None
    """When a `scheduled` run is queued for its first or its next attempt."""
    started_at: str | None
    completed_at: str | None
    queue_ms: int | None
    duration_ms: int | None


class RunEndedMessage(TypedDict):
    type: Literal["run.success", "run.error", "run.timeout", "run.cancelled", "run.expired"]
    timestamp: str
    agent_id: str
    version: str
    run_id: str
    thread_id: str | None
    attempt: int
    status: Literal["success", "error", "timeout", "cancelled", "expired"]
    result_content: Any
    result_truncated: NotRequired[Literal[True]]
    """The result is too large: read `result_url`."""
    result_url: NotRequired[str]
    duration_ms: int | None
    error: RunEndedMessageError | None
    usage: RunEndedMessageUsage | None
    data: RunEndedMessageData


class RunErrorEventError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunErrorEventUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunErrorEventUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunErrorEventUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunErrorEventUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunErrorEventUsageReported]
    """With `metered`: what the agent said."""


class RunErrorEvent(TypedDict):
    type: Literal["run.error"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    status: Literal["success", "error", "timeout", "cancelled", "expired"]
    result_content: Any
    error: RunErrorEventError | None
    partial: Any
    state_snapshot: str | None
    usage: RunErrorEventUsage | None
    duration_ms: int


class RunEvents(TypedDict):
    data: list[ListedRunEvent]
    has_more: bool
    first_id: str | None
    last_id: str | None


class RunExpiredEventError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunExpiredEventUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunExpiredEventUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunExpiredEventUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunExpiredEventUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunExpiredEventUsageReported]
    """With `metered`: what the agent said."""


class RunExpiredEvent(TypedDict):
    type: Literal["run.expired"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    status: Literal["success", "error", "timeout", "cancelled", "expired"]
    result_content: Any
    error: RunExpiredEventError | None
    partial: Any
    state_snapshot: str | None
    usage: RunExpiredEventUsage | None
    duration_ms: int


class RunInput(TypedDict):
    id: str
    kind: Literal["signal", "message"]
    name: str | None
    """The signal's. A message has none."""
    sent_id: str
    """The sender's id, or `id`."""
    taken: bool
    """The agent's code got it, or gets it next."""
    accepted_at: str


class RunInterruptedEventInterruptsItem(TypedDict):
    id: str
    reason: str
    message: str | None
    response_schema: dict[str, Any] | None
    expires_at: str


class RunInterruptedEvent(TypedDict):
    type: Literal["run.interrupted"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    interrupts: list[RunInterruptedEventInterruptsItem]
    state_snapshot: str | None


class RunInterruptedMessageInterruptsItem(TypedDict):
    id: str
    reason: str
    message: str | None
    response_schema: dict[str, Any] | None
    expires_at: str
    answer_url: NotRequired[str]
    """The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path
    on this service. Only those are told it who may resume the run.
    """


class RunInterruptedMessage(TypedDict):
    type: Literal["run.interrupted"]
    timestamp: str
    agent_id: str
    version: str
    run_id: str
    thread_id: str | None
    attempt: int
    status: Literal["interrupted"]
    interrupts: list[RunInterruptedMessageInterruptsItem]


class RunJournalContinued(TypedDict):
    leg: str
    """What the keys begin with."""
    input_payload: Any
    """Null: the run's own input."""


class RunJournal(TypedDict):
    data: list[JournalEntry]
    answers: list[Any]
    """What people have answered to the run's questions."""
    continued: RunJournalContinued | None
    """With what the run has gone on (`continue_as`), and the journal has begun anew."""
    has_more: bool
    last_place: int | None


class RunListItemFilesItem(TypedDict):
    name: str
    size: int
    sha256: str


class RunListItemError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunListItemUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunListItemUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunListItemUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunListItemUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunListItemUsageReported]
    """With `metered`: what the agent said."""


class RunListItemSandbox(TypedDict):
    level: int
    name: str
    layers: list[str]


class RunListItemRequestOptions(TypedDict):
    priority: NotRequired[float]
    queue_ttl_ms: NotRequired[float]
    timeout_ms: NotRequired[float]
    max_attempts: NotRequired[float]
    max_cost_usd: NotRequired[float]
    max_tokens: NotRequired[float]
    concurrency_key: NotRequired[str]
    key_concurrency: NotRequired[float]


class RunListItemInterruptsItem(TypedDict):
    id: str
    reason: str
    message: str | None
    response_schema: dict[str, Any] | None
    expires_at: str
    answer_url: NotRequired[str]
    """The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path
    on this service. Only those are told it who may resume the run.
    """


class RunListItem(TypedDict):
    id: str
    run_id: str
    object: Literal["run"]
    agent_id: str
    version: str
    thread_id: str | None
    user_id: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    attempt: int
    max_attempts: int
    adapter_type: str
    runtime_mode: str
    lifecycle: str
    input_payload: NotRequired[Any]
    env_names: list[str]
    files: list[RunListItemFilesItem]
    result_content: NotRequired[Any]
    error: RunListItemError | None
    current_status: str | None
    state_snapshot: NotRequired[str | None]
    usage: RunListItemUsage | None
    sandbox: RunListItemSandbox | None
    worker_id: str | None
    origin: Literal["api", "job", "daemon", "replay", "run"]
    replay_of: str | None
    job_id: str | None
    parent_run_id: str | None
    """The run that has started it; null: none."""
    root_run_id: str | None
    """The run at the root of its tree; null: it is none's child."""
    detached: bool
    """Whether it goes on when the run that has started it ends."""
    tags: list[str]
    metadata: dict[str, Any]
    timeout_ms: int
    request_options: RunListItemRequestOptions | None
    """What the run's request asked beside its input; null: nothing."""
    wait_reason: (
        Literal[
            "no_worker", "concurrency_limit", "concurrency_key", "thread_busy", "paused", "building", "retry", "delay"
        ]
        | None
    )
    """Why the run waits, if the service knows."""
    created_at: str
    scheduled_at: str | None
    """When a `scheduled` run is queued for its first or its next attempt."""
    started_at: str | None
    completed_at: str | None
    queue_ms: int | None
    duration_ms: int | None
    interrupts: list[RunListItemInterruptsItem]
    """What an interrupted run waits for; else empty."""
    callback: RunCallback | None
    input_preview: str | None
    """The first 200 characters of the input as JSON. Null: there is none, or it is very large."""
    result_preview: str | None
    """The first 200 characters of the result as JSON. Null: there is none, or it is very large."""


class RunLog(TypedDict):
    id: str
    ts: str
    level: str
    stream: str
    message: str


class RunPatch(TypedDict):
    metadata: NotRequired[dict[str, Any] | None]


class RunQueuedEventQueue(TypedDict):
    position: int | None
    wait_reason: (
        Literal[
            "no_worker", "concurrency_limit", "concurrency_key", "thread_busy", "paused", "building", "retry", "delay"
        ]
        | None
    )


class RunQueuedEvent(TypedDict):
    type: Literal["run.queued"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    agent_id: str
    version: str
    thread_id: str | None
    queue: RunQueuedEventQueue
    run_at: NotRequired[str]
    """When a `scheduled` run is to be queued."""


class RunStartedEventSandbox(TypedDict):
    level: int
    name: str
    layers: list[str]


class RunStartedEventDiscards(TypedDict):
    attempt: int
    reason: str


class RunStartedEvent(TypedDict):
    type: Literal["run.started"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    worker_id: str
    adapter_type: str
    runtime_mode: str
    lifecycle: str
    sandbox: RunStartedEventSandbox
    warm: bool
    """The agent's code was loaded before the run."""
    reused: NotRequired[bool]
    """The process has executed earlier runs of this version (`reuse`)."""
    follows: NotRequired[str]
    """The id of the previous event, if the worker knows it."""
    discards: NotRequired[RunStartedEventDiscards]
    """The attempt whose output is void."""
    keeps: NotRequired[str]
    """Instead of `discards`: the id up to which the attempt before stands. Its later events are void."""
    voids: NotRequired[list[tuple[str, str]]]
    """With `keeps`: ids of this and earlier attempts that are void."""
    reason: NotRequired[str]
    """With `keeps`: why the run started again."""


RunStep = TypedDict(
    "RunStep",
    {
        "place": "int",
        "key": "str",
        "name": "str",
        "kind": "Literal['step', 'question', 'timer', 'signal', 'messages', 'url', 'child']",
        "branch": "str",
        "position": "int",
        "try": "int",
        "state": "Literal['done', 'failed', 'retried', 'given_up']",
        "error": "str | None",
        "retry_at": "str | None",
        "attempt": "int",
        "at": "str",
    },
)


class RunSteps(TypedDict):
    data: list[RunStep]
    has_more: bool
    last_place: int | None


class RunSuccessEventError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunSuccessEventUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunSuccessEventUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunSuccessEventUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunSuccessEventUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunSuccessEventUsageReported]
    """With `metered`: what the agent said."""


class RunSuccessEvent(TypedDict):
    type: Literal["run.success"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    status: Literal["success", "error", "timeout", "cancelled", "expired"]
    result_content: Any
    error: RunSuccessEventError | None
    partial: Any
    state_snapshot: str | None
    usage: RunSuccessEventUsage | None
    duration_ms: int


class RunSuspendedEventWaitsItem(TypedDict):
    kind: Literal["timer", "signal", "child"]
    name: str
    until: str | None
    """When the wait ends by itself."""
    children: NotRequired[int]
    """How many runs that it has started it waits for."""


class RunSuspendedEvent(TypedDict):
    type: Literal["run.suspended"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    waits: list[RunSuspendedEventWaitsItem]
    """What the run waits for, without a process. At most 100."""


class RunTimeline(TypedDict):
    data: list[RunTransition]


class RunTimeoutEventError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunTimeoutEventUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunTimeoutEventUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunTimeoutEventUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunTimeoutEventUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunTimeoutEventUsageReported]
    """With `metered`: what the agent said."""


class RunTimeoutEvent(TypedDict):
    type: Literal["run.timeout"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    status: Literal["success", "error", "timeout", "cancelled", "expired"]
    result_content: Any
    error: RunTimeoutEventError | None
    partial: Any
    state_snapshot: str | None
    usage: RunTimeoutEventUsage | None
    duration_ms: int


RunTransition = TypedDict(
    "RunTransition",
    {
        "attempt": "int",
        "from": "Literal['scheduled', 'queued', 'running', 'interrupted', 'suspended', 'success', 'error', 'timeout', 'cancelled', 'expired'] | None",
        "to": "Literal['scheduled', 'queued', 'running', 'interrupted', 'suspended', 'success', 'error', 'timeout', 'cancelled', 'expired']",
        "actor": "str",
        "actor_id": "str | None",
        "reason": "str | None",
        "at": "str",
    },
)


class RunTreeUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunTreeUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class RunTreeUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[RunTreeUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[RunTreeUsageReported]
    """With `metered`: what the agent said."""


class RunTree(TypedDict):
    root_run_id: str
    """The run at the root of the whole tree."""
    runs: int
    """How many runs there are: this one and all below it."""
    by_status: dict[str, int]
    """How many of them, by status."""
    usage: RunTreeUsage | None
    """Of all of them together."""
    data: list[TreeRun]
    """Those higher up first, at most 1,000."""
    has_more: bool


class RunWaitingEventQueue(TypedDict):
    position: int | None
    wait_reason: (
        Literal[
            "no_worker", "concurrency_limit", "concurrency_key", "thread_busy", "paused", "building", "retry", "delay"
        ]
        | None
    )


class RunWaitingEventError(TypedDict):
    code: str
    type: str | None
    message: str
    traceback: str | None


class RunWaitingEvent(TypedDict):
    type: Literal["run.waiting"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    queue: RunWaitingEventQueue
    error: NotRequired[RunWaitingEventError]
    """The error of the failed attempt, when the run waits for its retry."""
    retry_at: NotRequired[str]
    run_at: NotRequired[str]
    """The new time of a delayed run whose request was replaced."""


class SchedulePreviewDataItem(TypedDict):
    scheduled_at: str


class SchedulePreview(TypedDict):
    data: list[SchedulePreviewDataItem]


class SchedulePreviewBody(TypedDict):
    schedule: str
    """A cron expression (5 fields, or 6 with seconds), an interval such as `every 5m` (s, m, h, d), or an
    RFC 3339 time for a single run.
    """
    timezone: NotRequired[str]
    """The IANA time zone of the cron expression."""
    ends_at: NotRequired[str | None]
    """The job has no ticks after this time."""
    count: NotRequired[int]
    """How many ticks to show. Fewer come where the schedule has no more."""


class SecretBody(TypedDict):
    value: str


class Service(TypedDict):
    name: Literal["runfleet"]
    version: str
    docs: str
    redoc: str
    openapi: str
    health: str


class ServiceConfig(TypedDict):
    object: Literal["config"]
    data: list[Setting]


class SessionPrincipal(TypedDict):
    kind: Literal["key", "bootstrap"]
    id: str
    """The key's id."""


class Session(TypedDict):
    id: str
    object: Literal["session"]
    user_id: str
    principal: SessionPrincipal
    scopes: list[str]
    ip: str | None
    """The address that signed in."""
    user_agent: str | None
    """The browser's own name."""
    is_current: bool
    """True for the session of this request."""
    created_at: str
    last_used_at: str
    """Noted once a minute."""
    expires_at: str
    """It ends earlier when nobody uses it for 12 hours."""


class SessionCode(TypedDict):
    code: str
    """Signs one browser in, once."""
    expires_at: str


class SessionDepthDepthsItem(TypedDict):
    runs: int
    threads: int


class SessionDepth(TypedDict):
    agent_id: str
    since: str
    until: str
    threads: int
    """The number of threads that were created in the time range; at most the newest 5,000 are counted."""
    mean: float | None
    depths: list[SessionDepthDepthsItem]
    """The number of threads for each number of runs."""


class Setting(TypedDict):
    name: str
    is_set: bool
    """False: the default holds."""
    value: str | float | None
    """Null: there is none, it is a list, or it may be a secret."""


class SignIn(TypedDict):
    key: NotRequired[str | None]
    """An API key."""
    code: NotRequired[str | None]
    """A code of `POST /v1/sessions/codes`, instead of a key."""


class SignalRequest(TypedDict):
    payload: NotRequired[Any]
    """What the agent's `wait_for` returns. Left out: null."""
    id: NotRequired[str | None]
    """The sender's. A signal of the same name and id is kept once."""


class SpendLimit(TypedDict):
    period: Literal["day", "week", "month"]
    amount_micro_usd: int
    """Micro-USD: 1 USD is 1,000,000."""
    spent_micro_usd: int
    """Micro-USD: 1 USD is 1,000,000."""
    period_started_at: str
    enforced: bool


class SpendLimitBody(TypedDict):
    user_id: NotRequired[str | None]
    """The user. Left out: the caller."""
    period: NotRequired[Literal["day", "week", "month"]]
    """A calendar period in UTC. A week begins on Monday."""
    amount_micro_usd: int | None
    """Null removes the limit."""
    enforced: NotRequired[bool]
    """True: runs beyond the limit are refused (402). False: the user is only notified."""


class StateEvent(TypedDict):
    type: Literal["state"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    state_snapshot: str


StepCopiedEvent = TypedDict(
    "StepCopiedEvent",
    {
        "type": "Literal['step.copied']",
        "run_id": "str",
        "attempt": "int",
        "seq": "int",
        "ts": "str",
        "key": "str",
        "name": "str",
        "try": "int",
    },
)

StepEndEvent = TypedDict(
    "StepEndEvent",
    {
        "type": "Literal['step.end']",
        "run_id": "str",
        "attempt": "int",
        "seq": "int",
        "ts": "str",
        "key": "str",
        "name": "str",
        "try": "int",
        "ok": "bool",
        "error": "str | None",
        "duration_ms": "float | None",
    },
)

StepRetryingEvent = TypedDict(
    "StepRetryingEvent",
    {
        "type": "Literal['step.retrying']",
        "run_id": "str",
        "attempt": "int",
        "seq": "int",
        "ts": "str",
        "key": "str",
        "name": "str",
        "try": "int",
        "error": "str | None",
        "retry_at": "str",
        "voids": "list[tuple[str, str]]",
    },
)

StepStartEvent = TypedDict(
    "StepStartEvent",
    {
        "type": "Literal['step.start']",
        "run_id": "str",
        "attempt": "int",
        "seq": "int",
        "ts": "str",
        "key": "str",
        "name": "str",
        "try": "int",
    },
)


class StoreItem(TypedDict):
    object: Literal["store_item"]
    user_id: str
    namespace: list[str]
    key: str
    value: dict[str, Any]
    expires_at: str | None
    created_at: str
    updated_at: str


class StoreItemBody(TypedDict):
    user_id: NotRequired[str | None]
    """Whose item. Left out: the caller's."""
    namespace: list[str]
    """Labels from the widest to the narrowest. A label has no dot."""
    key: str
    value: dict[str, Any]
    ttl_seconds: NotRequired[float | None]
    """The item is deleted so many seconds after it was written, or was read with `refresh_ttl`. Left out:
    never.
    """


class StoreItems(TypedDict):
    data: list[StoreItem]
    has_more: bool


class StoreNamespaces(TypedDict):
    data: list[list[str]]
    has_more: bool


class StoreSearch(TypedDict):
    user_id: NotRequired[str | None]
    """Whose item. Left out: the caller's."""
    namespace_prefix: NotRequired[list[str]]
    """Only items below this namespace."""
    filter: NotRequired[dict[str, Any] | None]
    """Only items whose value has these fields. A field is compared with a JSON value, or with conditions:
    $eq, $ne, $gt, $gte, $lt, $lte.
    """
    limit: NotRequired[int]
    offset: NotRequired[int]
    refresh_ttl: NotRequired[bool]
    """False: reading the item doesn't prolong its life."""


class StudioAgent(TypedDict):
    runs: int
    """The number of ended runs."""
    success: int
    error: int
    timeout: int
    cancelled: int
    expired: int
    success_rate: float | None
    """The share of successful runs among the ended runs. Null: no run has ended."""
    duration_ms: float
    """The sum of all durations."""
    cpu_ms: float
    input_tokens: float
    output_tokens: float
    cost_usd: float
    agent_id: str
    user_id: str
    name: str
    status: str
    current_version: str
    latency_ms: Percentiles
    last_run_at: str | None


class StudioFiguresTotals(TypedDict):
    runs: int
    """The number of ended runs."""
    success: int
    error: int
    timeout: int
    cancelled: int
    expired: int
    success_rate: float | None
    """The share of successful runs among the ended runs. Null: no run has ended."""
    duration_ms: float
    """The sum of all durations."""
    cpu_ms: float
    input_tokens: float
    output_tokens: float
    cost_usd: float
    latency_ms: Percentiles
    queue_ms: Percentiles


class StudioFiguresOpen(TypedDict):
    scheduled: int
    queued: int
    running: int
    interrupted: int
    suspended: int


class StudioFigures(TypedDict):
    since: str
    until: str
    unit: Literal["hour", "day", "week", "month"]
    timezone: str
    totals: StudioFiguresTotals
    open: StudioFiguresOpen
    """The current numbers of runs that have not ended."""
    series: list[FiguresBucket]
    """All buckets of the time range. A bucket without runs has zeros."""


class Subscription(TypedDict):
    id: str
    object: Literal["subscription"]
    user_id: str
    plan_id: str | None
    provider_subscription_id: str | None
    """Null: created here and not paid."""
    status: Literal[
        "incomplete", "incomplete_expired", "trialing", "active", "past_due", "unpaid", "paused", "canceled"
    ]
    current_period_start: str | None
    current_period_end: str | None
    trial_end: str | None
    cancel_at_period_end: bool
    canceled_at: str | None
    created_at: str
    updated_at: str


class SubscriptionBody(TypedDict):
    user_id: NotRequired[str | None]
    """The user. Left out: the caller."""
    plan_id: str


class TagBody(TypedDict):
    version: str


class TestHookBody(TypedDict):
    headers: NotRequired[dict[str, str]]
    query: NotRequired[dict[str, str]]
    body: NotRequired[Any]
    delivery_id: NotRequired[str | None]
    """An earlier delivery, whose request is used instead."""


class Thread(TypedDict):
    id: str
    thread_id: str
    object: Literal["thread"]
    user_id: str
    agent_id: str | None
    title: str | None
    status: Literal["idle", "busy", "interrupted", "error"]
    """busy: a run is queued or running. interrupted: the last run waits for an answer. error: the last run
    failed. idle: otherwise.
    """
    tags: list[str]
    metadata: dict[str, Any]
    forked_from: str | None
    created_at: str
    updated_at: str


class ThreadBody(TypedDict):
    thread_id: NotRequired[str | None]
    """Left out: the service makes an id."""
    id: NotRequired[str | None]
    """The same as `thread_id`, as agents and users have it."""
    user_id: NotRequired[str | None]
    """The owner. Left out: the caller."""
    agent_id: NotRequired[str | None]
    """The agent that the thread belongs to. Other agents can use the thread, too."""
    title: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    tags: NotRequired[list[str] | None]
    state_snapshot: NotRequired[str | None]
    """The state with which the first run starts."""
    if_exists: NotRequired[Literal["raise", "do_nothing"]]
    """If you have a thread with this id: `raise` is a 409, `do_nothing` returns that thread with 200."""


class ThreadMessage(TypedDict):
    id: str
    object: Literal["thread_message"]
    thread_id: str
    run_id: str | None
    role: str
    """user: the input of a run that ended. assistant: the result of a successful one, and what its agent
    said.
    """
    content: Any
    """The input or the result of the run."""
    text: str | None
    """What the agent said: the text that it output. Null: none."""
    created_at: str


class ThreadPatch(TypedDict):
    title: NotRequired[str | None]
    tags: NotRequired[list[str] | None]
    """Replaces the tags. Null removes them."""
    metadata: NotRequired[dict[str, Any] | None]
    """Merged into the existing metadata. Null removes a key, or all metadata."""


class ThreadState(TypedDict):
    object: Literal["thread_state"]
    thread_id: str
    state_snapshot: str | None
    updated_at: str


class ThreadStateBody(TypedDict):
    state_snapshot: str | None
    """The state that the next run gets. Null: no state."""


class TickPreviewDataItem(TypedDict):
    scheduled_at: str
    run_at: str
    """The time of the tick's run, which `jitter_ms` puts later."""


class TickPreview(TypedDict):
    data: list[TickPreviewDataItem]


class TokenDistribution(TypedDict):
    agent_id: str
    since: str
    until: str
    tokens: Distribution


class ToolEndEvent(TypedDict):
    type: Literal["tool.end"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    call_id: str
    result: Any
    error: str | None
    duration_ms: float | None


class ToolStartEvent(TypedDict):
    type: Literal["tool.start"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    call_id: str
    name: str
    args: Any


class TransactionEntriesItem(TypedDict):
    account: str
    amount_micro_usd: int
    """Micro-USD: 1 USD is 1,000,000."""


class Transaction(TypedDict):
    id: str
    object: Literal["transaction"]
    user_id: str
    type: str
    amount_micro_usd: int
    """Positive: added to the wallet. Negative: taken from it."""
    description: str | None
    source: str
    """The cause of the booking: `payment`, `usage` or `manual`."""
    source_id: str
    entries: list[TransactionEntriesItem]
    """Double-entry bookkeeping: the entries sum to 0."""
    created_at: str


class TransactionBody(TypedDict):
    user_id: str
    amount_micro_usd: int
    """Added to the wallet. A negative amount is taken from it."""
    description: NotRequired[str | None]


class TreeRunUsageMetered(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class TreeRunUsageReported(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]


class TreeRunUsage(TypedDict):
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    tool_calls: NotRequired[int]
    """How many `tool.start` events the agent sent."""
    metered: NotRequired[TreeRunUsageMetered]
    """What services counted of calls to connections. Then the tokens and the cost above are these."""
    reported: NotRequired[TreeRunUsageReported]
    """With `metered`: what the agent said."""


class TreeRun(TypedDict):
    id: str
    parent_run_id: str | None
    agent_id: str
    version: str
    status: Literal[
        "scheduled",
        "queued",
        "running",
        "interrupted",
        "suspended",
        "success",
        "error",
        "timeout",
        "cancelled",
        "expired",
    ]
    depth: int
    """How many runs are above it."""
    detached: bool
    """Whether it goes on when the run that has started it ends."""
    usage: TreeRunUsage | None
    """Its own."""
    duration_ms: int | None
    created_at: str
    started_at: str | None
    completed_at: str | None


class UnreadCount(TypedDict):
    unread: int


class Upgrade(TypedDict):
    agent_id: str
    version: str
    """The new current version: an exact one, a tag or `latest`."""


class Upgraded(TypedDict):
    agent_id: str
    previous_version: str
    version: str
    direction: Literal["upgrade", "downgrade", "none"]
    changed: bool
    """False: the version was current already."""
    created: bool
    """True: the version was published by this request, with a copy of the current config."""
    daemon: Daemon | None
    """The agent's daemon, which is replaced and watched. Null: no daemon is running."""
    upgraded_at: str


class UsageEntry(TypedDict):
    id: str
    run_id: str
    agent_id: str
    version: str
    user_id: str
    thread_id: str | None
    job_id: str | None
    status: str
    error_code: str | None
    duration_ms: float | None
    cpu_ms: float
    input_tokens: float
    output_tokens: float
    cost_usd: float
    created_at: str
    completed_at: str | None


class UsageEvent(TypedDict):
    type: Literal["usage"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    input_tokens: NotRequired[float]
    output_tokens: NotRequired[float]
    cost_usd: NotRequired[float]
    cpu_ms: NotRequired[float]
    max_rss_bytes: NotRequired[float]
    source: NotRequired[Literal["reported", "metered"]]
    """Who says so: `reported` by the agent, or `metered` by the gateway, of all calls so far."""


class UsageRecord(TypedDict):
    id: str
    object: Literal["usage"]
    user_id: str
    agent_id: str
    version: str
    run_id: str | None
    duration_ms: int
    cpu_ms: int
    input_tokens: int
    output_tokens: int
    tool_calls: int
    """How many `tool.start` events the attempts sent that ended by themselves. Those of attempts that were
    lost or handed over are left out.
    """
    cost_micro_usd: int
    """Micro-USD: 1 USD is 1,000,000."""
    created_at: str
    booked_at: str | None
    """Null: not booked yet."""


class User(TypedDict):
    id: str
    object: Literal["user"]
    name: str | None
    email: str | None
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class UserBody(TypedDict):
    id: NotRequired[str | None]
    """Left out: the service makes an id."""
    name: NotRequired[str | None]
    email: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class UserPatch(TypedDict):
    name: NotRequired[str | None]
    email: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class UserUsage(TypedDict):
    user_id: str
    since: str
    until: str
    runs: int
    by_status: dict[str, int]
    duration_ms: float
    cpu_ms: float
    input_tokens: float
    output_tokens: float
    cost_usd: float


class ValidateRequestDebounce(TypedDict):
    key: str
    delay_ms: int


class ValidateRequestConfigLimits(TypedDict):
    timeout_ms: NotRequired[int]
    """How long a run may take."""
    queue_ttl_ms: NotRequired[int]
    """A run that no worker claims within this time expires."""
    memory_mb: NotRequired[int]
    """The memory of a run and all of its processes."""
    cpu_ms: NotRequired[int]
    """The CPU time of a run and all of its processes."""
    pids: NotRequired[int]
    """How many processes and threads a run may have."""
    output_bytes: NotRequired[int]
    """How much a run may say."""
    files_bytes: NotRequired[int]
    """How much a run may write to its folders."""
    events: NotRequired[int]
    """How many events a run may send."""


class ValidateRequestConfigNetwork2(TypedDict):
    allow: list[str]


class ValidateRequestConfigRetry(TypedDict):
    max_attempts: int
    delay_ms: NotRequired[int]
    factor: NotRequired[float]
    max_delay_ms: NotRequired[int]


class ValidateRequestConfigBudgetTree(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class ValidateRequestConfigBudgetThread(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class ValidateRequestConfigBudgetAgentDay(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class ValidateRequestConfigBudget(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]
    tree: NotRequired[ValidateRequestConfigBudgetTree]
    """What the calls of a run and of all runs that it starts, and they start, may cost together."""
    thread: NotRequired[ValidateRequestConfigBudgetThread]
    """The same for all runs of a thread."""
    agent_day: NotRequired[ValidateRequestConfigBudgetAgentDay]
    """The same for all of the agent's runs on a day, in UTC."""


class ValidateRequestConfigApprovalsItem(TypedDict):
    method: NotRequired[str]
    host: NotRequired[str]
    path: NotRequired[str]


class ValidateRequestConfig(TypedDict):
    entrypoint: NotRequired[str]
    """What is called: `main.py`, `main.py:name` or `agent.core:main`; `src/index.ts:main`."""
    source: NotRequired[str]
    """The text of a single file, stored under the entrypoint's file name, or as main.py or main.ts."""
    files: NotRequired[dict[str, str]]
    """The code: relative path → text or data URL. The command line reads it from the folder."""
    requirements: NotRequired[list[str]]
    """Python packages, like `httpx>=0.27`; wheels only. The command line reads them from requirements.txt
    or pyproject.toml.
    """
    command: NotRequired[list[str]]
    """For the adapter `command`: a program and its arguments."""
    output: NotRequired[Literal["text", "ndjson"]]
    """How the command's stdout is read: as text (default), or each line as an event."""
    url: NotRequired[str]
    """For the adapter `http`: the URL of the agent."""
    image: NotRequired[str]
    """For the adapter `container`: one of those that the operator lists."""
    adapter_type: NotRequired[
        Literal[
            "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
        ]
    ]
    """What runs the agent: `python` (default), `node`, `command`, `http` or `container`. `custom`,
    `langchain`, `langgraph` and `crewai` mean `python`, `process` means `command`.
    """
    pool: NotRequired[str]
    """The pool of workers that takes its runs, such as `gpu`; `default` if left out. Runs of a pool without
    workers wait.
    """
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    """How the agent's runs are isolated: `standard` (default), `isolated`, or `full` for runs with a
    network. A request may narrow it, and name it where the config doesn't.
    """
    env: NotRequired[dict[str, str]]
    """Environment variables, kept in clear. Keys belong in `secrets`."""
    limits: NotRequired[ValidateRequestConfigLimits]
    """A run that exceeds a limit ends with that limit's error, and keeps what it said."""
    network: NotRequired[Literal["none"] | ValidateRequestConfigNetwork2]
    """The hosts that `full` runs and the daemon may reach: a host, `*.domain` or `*`; a port is only needed
    for others than 80 and 443.
    """
    max_attempts: NotRequired[int]
    """A run ends after so many lost workers. 3 by default. Drains and answers start it again and aren't
    counted.
    """
    retry: NotRequired[ValidateRequestConfigRetry]
    """A run whose agent fails is tried again. The delay grows by `factor` each time; by default 1 s, 2 s, 4
    s … 60 s.
    """
    budget: NotRequired[ValidateRequestConfigBudget]
    """What a run may use. Calls by connections that don't fit are refused (402). Where no call was metered,
    a run that reports more is ended. US dollars; input and output tokens together.
    """
    concurrency: NotRequired[int]
    """How many of the agent's runs may run at the same time. The others wait."""
    reuse: NotRequired[bool]
    """One process executes the version's runs one after another, so that modules, connections and threads
    stay. For Python and Node. A run that is `isolated` or brings files of its own has a process of its
    own all the same.
    """
    key_concurrency: NotRequired[int]
    """How many of the agent's runs with the same `concurrency_key` may run at the same time."""
    stop_grace_ms: NotRequired[int]
    """How long a run that is cancelled or out of time may take to end by itself. 2000 by default; 0 kills
    at once.
    """
    idle_timeout_ms: NotRequired[int]
    """How long the process of an `interactive` thread waits for the next run. 5 minutes by default."""
    multitask_strategy: NotRequired[Literal["enqueue", "reject", "interrupt"]]
    """A run whose thread is busy: `enqueue` (default): it waits. `reject`: it is refused. `interrupt`: the
    runs before it are cancelled.
    """
    answer_page: NotRequired[Literal["link", "key", "off"]]
    """Who may answer its questions by their page. `link` (default): whoever has the address. `key`: with an
    API key, too. `off`: nobody.
    """
    input_schema: NotRequired[dict[str, Any]]
    """A JSON Schema of the input: a mismatch is a 422. `default`s of its properties are filled in."""
    output_schema: NotRequired[dict[str, Any]]
    """A JSON Schema of the result: a mismatch ends the run as an error."""
    secrets: NotRequired[list[str]]
    """Names of secrets that its runs get as environment variables."""
    connections: NotRequired[list[str]]
    """Names of connections: services that its runs may call by the gateway, which adds the keys."""
    approvals: NotRequired[list[ValidateRequestConfigApprovalsItem]]
    """Calls by connections that leave only once a person has said yes. What a rule leaves out may be
    anything; `*` in a path stands for any characters.
    """


class ValidateRequest(TypedDict):
    agent_id: NotRequired[str]
    """The agent to run."""
    version: NotRequired[str]
    """An exact version, a tag, `current` or `latest`."""
    input_payload: NotRequired[dict[str, Any]]
    """The input of the agent's `main`."""
    env_vars: NotRequired[dict[str, str]]
    """Environment variables. They are stored encrypted and deleted when the run ends."""
    files: NotRequired[dict[str, str]]
    """Files by relative path. The content is text or a data URL of at most 5 MiB. The whole request has at
    most 6 MiB.
    """
    history: NotRequired[list[Any]]
    state_snapshot: NotRequired[str]
    """The state that an earlier run saved. The service does not interpret it."""
    thread_id: NotRequired[str | None]
    """The thread of the run. An unknown id creates a thread."""
    adapter_type: NotRequired[
        Literal[
            "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
        ]
    ]
    """`python` or left out: the adapter in the version's config, else Python. Another one than the config's
    is a 422 `adapter_mismatch`.
    """
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    lifecycle: NotRequired[Literal["serverless", "interactive", "daemon"]]
    run_id: NotRequired[str | None]
    """An id for the run, which no other run gets once it was executed, also when it is deleted. A repeated
    request with the same id and body attaches to the existing run.
    """
    metadata: NotRequired[dict[str, Any]]
    """The client's own data on the run, by which lists are filtered."""
    tags: NotRequired[list[str]]
    """The client's own words for the run, by which lists are filtered."""
    completion_callback_url: NotRequired[str | None]
    """This URL gets a POST when the run has ended."""
    delay_ms: NotRequired[int | None]
    """The run is queued after this time."""
    run_at: NotRequired[str | None]
    """The run is queued at this time. A time that has passed is now."""
    debounce: NotRequired[ValidateRequestDebounce | None]
    """The run is queued after `delay_ms`. A request for the same agent with the same key that comes earlier
    replaces the waiting run's request and starts its delay again; its answer is the same run. An
    `Idempotency-Key` is not looked at.
    """
    priority: NotRequired[int | None]
    """While runs wait, this one goes before its user's runs that came up to so many seconds earlier."""
    queue_ttl_ms: NotRequired[int | None]
    """The run expires when no worker claims it within this time."""
    timeout_ms: NotRequired[int | None]
    """The run ends as `timeout` after this time."""
    max_attempts: NotRequired[int | None]
    """The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an
    answer start its agent again and aren't counted.
    """
    max_cost_usd: NotRequired[float | None]
    """What the run may cost. Calls by connections that don't fit are refused (402). Where no call was
    metered, a run that reports more is ended (`budget_exceeded`).
    """
    max_tokens: NotRequired[int | None]
    """The same for input and output tokens together."""
    concurrency_key: NotRequired[str | None]
    """Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait."""
    key_concurrency: NotRequired[int | None]
    """Left out: the `key_concurrency` of the agent's config, else 1."""
    config: NotRequired[ValidateRequestConfig | None]
    """A config to check as publishing would. The other fields are ignored then."""


class ValidationWarningsItem(TypedDict):
    code: str
    message: str


class Validation(TypedDict):
    valid: Literal[True]
    agent_id: str | None
    version: str | None
    """The exact version that the run would have. Null: a `config` was checked."""
    entrypoint: str | None
    warnings: list[ValidationWarningsItem]


class ValidationError(TypedDict):
    loc: list[str | int]
    msg: str
    type: str
    input: NotRequired[Any]
    ctx: NotRequired[dict[str, Any]]


class VersionBodyConfigLimits(TypedDict):
    timeout_ms: NotRequired[int]
    """How long a run may take."""
    queue_ttl_ms: NotRequired[int]
    """A run that no worker claims within this time expires."""
    memory_mb: NotRequired[int]
    """The memory of a run and all of its processes."""
    cpu_ms: NotRequired[int]
    """The CPU time of a run and all of its processes."""
    pids: NotRequired[int]
    """How many processes and threads a run may have."""
    output_bytes: NotRequired[int]
    """How much a run may say."""
    files_bytes: NotRequired[int]
    """How much a run may write to its folders."""
    events: NotRequired[int]
    """How many events a run may send."""


class VersionBodyConfigNetwork2(TypedDict):
    allow: list[str]


class VersionBodyConfigRetry(TypedDict):
    max_attempts: int
    delay_ms: NotRequired[int]
    factor: NotRequired[float]
    max_delay_ms: NotRequired[int]


class VersionBodyConfigBudgetTree(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class VersionBodyConfigBudgetThread(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class VersionBodyConfigBudgetAgentDay(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]


class VersionBodyConfigBudget(TypedDict):
    usd: NotRequired[float]
    tokens: NotRequired[int]
    tree: NotRequired[VersionBodyConfigBudgetTree]
    """What the calls of a run and of all runs that it starts, and they start, may cost together."""
    thread: NotRequired[VersionBodyConfigBudgetThread]
    """The same for all runs of a thread."""
    agent_day: NotRequired[VersionBodyConfigBudgetAgentDay]
    """The same for all of the agent's runs on a day, in UTC."""


class VersionBodyConfigApprovalsItem(TypedDict):
    method: NotRequired[str]
    host: NotRequired[str]
    path: NotRequired[str]


class VersionBodyConfig(TypedDict):
    entrypoint: NotRequired[str]
    """What is called: `main.py`, `main.py:name` or `agent.core:main`; `src/index.ts:main`."""
    source: NotRequired[str]
    """The text of a single file, stored under the entrypoint's file name, or as main.py or main.ts."""
    files: NotRequired[dict[str, str]]
    """The code: relative path → text or data URL. The command line reads it from the folder."""
    requirements: NotRequired[list[str]]
    """Python packages, like `httpx>=0.27`; wheels only. The command line reads them from requirements.txt
    or pyproject.toml.
    """
    command: NotRequired[list[str]]
    """For the adapter `command`: a program and its arguments."""
    output: NotRequired[Literal["text", "ndjson"]]
    """How the command's stdout is read: as text (default), or each line as an event."""
    url: NotRequired[str]
    """For the adapter `http`: the URL of the agent."""
    image: NotRequired[str]
    """For the adapter `container`: one of those that the operator lists."""
    adapter_type: NotRequired[
        Literal[
            "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
        ]
    ]
    """What runs the agent: `python` (default), `node`, `command`, `http` or `container`. `custom`,
    `langchain`, `langgraph` and `crewai` mean `python`, `process` means `command`.
    """
    pool: NotRequired[str]
    """The pool of workers that takes its runs, such as `gpu`; `default` if left out. Runs of a pool without
    workers wait.
    """
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    """How the agent's runs are isolated: `standard` (default), `isolated`, or `full` for runs with a
    network. A request may narrow it, and name it where the config doesn't.
    """
    env: NotRequired[dict[str, str]]
    """Environment variables, kept in clear. Keys belong in `secrets`."""
    limits: NotRequired[VersionBodyConfigLimits]
    """A run that exceeds a limit ends with that limit's error, and keeps what it said."""
    network: NotRequired[Literal["none"] | VersionBodyConfigNetwork2]
    """The hosts that `full` runs and the daemon may reach: a host, `*.domain` or `*`; a port is only needed
    for others than 80 and 443.
    """
    max_attempts: NotRequired[int]
    """A run ends after so many lost workers. 3 by default. Drains and answers start it again and aren't
    counted.
    """
    retry: NotRequired[VersionBodyConfigRetry]
    """A run whose agent fails is tried again. The delay grows by `factor` each time; by default 1 s, 2 s, 4
    s … 60 s.
    """
    budget: NotRequired[VersionBodyConfigBudget]
    """What a run may use. Calls by connections that don't fit are refused (402). Where no call was metered,
    a run that reports more is ended. US dollars; input and output tokens together.
    """
    concurrency: NotRequired[int]
    """How many of the agent's runs may run at the same time. The others wait."""
    reuse: NotRequired[bool]
    """One process executes the version's runs one after another, so that modules, connections and threads
    stay. For Python and Node. A run that is `isolated` or brings files of its own has a process of its
    own all the same.
    """
    key_concurrency: NotRequired[int]
    """How many of the agent's runs with the same `concurrency_key` may run at the same time."""
    stop_grace_ms: NotRequired[int]
    """How long a run that is cancelled or out of time may take to end by itself. 2000 by default; 0 kills
    at once.
    """
    idle_timeout_ms: NotRequired[int]
    """How long the process of an `interactive` thread waits for the next run. 5 minutes by default."""
    multitask_strategy: NotRequired[Literal["enqueue", "reject", "interrupt"]]
    """A run whose thread is busy: `enqueue` (default): it waits. `reject`: it is refused. `interrupt`: the
    runs before it are cancelled.
    """
    answer_page: NotRequired[Literal["link", "key", "off"]]
    """Who may answer its questions by their page. `link` (default): whoever has the address. `key`: with an
    API key, too. `off`: nobody.
    """
    input_schema: NotRequired[dict[str, Any]]
    """A JSON Schema of the input: a mismatch is a 422. `default`s of its properties are filled in."""
    output_schema: NotRequired[dict[str, Any]]
    """A JSON Schema of the result: a mismatch ends the run as an error."""
    secrets: NotRequired[list[str]]
    """Names of secrets that its runs get as environment variables."""
    connections: NotRequired[list[str]]
    """Names of connections: services that its runs may call by the gateway, which adds the keys."""
    approvals: NotRequired[list[VersionBodyConfigApprovalsItem]]
    """Calls by connections that leave only once a person has said yes. What a rule leaves out may be
    anything; `*` in a path stands for any characters.
    """


class VersionBody(TypedDict):
    version: NotRequired[str]
    """Left out: `1.0.0` for a new agent. Another version is named by its content: the highest release, `+`,
    and 8 digits of the content's SHA-256. The same content is the same version.
    """
    dev: NotRequired[bool]
    """True: a version left out is a development version, `0.0.0-dev.` and 8 digits. `latest` and a rollback
    pass it over.
    """
    make_current: NotRequired[bool]
    """True: also make the version the current one, as `POST /v1/upgrade` does."""
    config: NotRequired[VersionBodyConfig | None]


class VersionDiffChangesItem(TypedDict):
    path: list[str | int]
    op: Literal["added", "removed", "changed"]
    before: Any
    after: Any


VersionDiff = TypedDict(
    "VersionDiff",
    {"agent_id": "str", "from": "str", "to": "str", "changes": "list[VersionDiffChangesItem]", "has_more": "bool"},
)


class VersionPatch(TypedDict):
    status: NotRequired[Literal["active", "deprecated", "archived"]]
    """An archived version takes no new runs."""


class WaitEndedEvent(TypedDict):
    type: Literal["wait.ended"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    key: str
    """The same on every attempt."""
    name: str
    by: Literal["timer", "signal", "timeout"]
    signal: str | None
    """The name of the signal that ended it."""


class WaitOpenedEvent(TypedDict):
    type: Literal["wait.opened"]
    run_id: str
    attempt: int
    seq: int
    ts: str
    key: str
    """The same on every attempt."""
    kind: Literal["timer", "signal"]
    name: str
    until: str | None
    """When the wait ends by itself."""


class WalletWeek(TypedDict):
    started_at: str
    ends_at: str
    runs: int
    micro_usd: int
    """Micro-USD: 1 USD is 1,000,000."""


class Wallet(TypedDict):
    object: Literal["wallet"]
    user_id: str
    balance_micro_usd: int
    """Micro-USD: 1 USD is 1,000,000."""
    plan: Plan | None
    """Null: no plan limits the user."""
    week: WalletWeek
    spend_limits: list[SpendLimit]


class Webhook(TypedDict):
    id: str
    object: Literal["webhook"]
    user_id: str
    url: str
    description: str | None
    events: list[str]
    agent_ids: list[str]
    statuses: list[str]
    tags: list[str]
    status: Literal["active", "paused", "disabled"]
    """`disabled`: the service disabled the webhook; `disabled_reason` says why."""
    disabled_reason: str | None
    failures: int
    """The number of given up deliveries since the last successful one."""
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class WebhookBody(TypedDict):
    user_id: NotRequired[str | None]
    """The user whose events are sent. Left out: the caller."""
    url: str
    """A public http or https URL. Private addresses are refused."""
    events: NotRequired[list[str]]
    """Event types such as `run.success`, `run.*`, `daemon.failed` or `notification.*`. `*` means all
    events, but for `run.queued` and `run.started`: these must be named.
    """
    agent_ids: NotRequired[list[str]]
    """Only events of these agents. Empty: of all, and those of no agent."""
    statuses: NotRequired[
        list[
            Literal[
                "scheduled",
                "queued",
                "running",
                "interrupted",
                "suspended",
                "success",
                "error",
                "timeout",
                "cancelled",
                "expired",
            ]
        ]
    ]
    """Of the events of runs, only those of runs with one of these statuses. Empty: of all."""
    tags: NotRequired[list[str]]
    """Of the events of runs, only those of runs with one of these tags. Empty: of all."""
    description: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class WebhookEventReceived(TypedDict):
    received: Literal[True]
    duplicate: NotRequired[bool]


class WebhookPatch(TypedDict):
    url: NotRequired[str]
    events: NotRequired[list[str]]
    agent_ids: NotRequired[list[str]]
    """Only events of these agents. Empty: of all, and those of no agent."""
    statuses: NotRequired[
        list[
            Literal[
                "scheduled",
                "queued",
                "running",
                "interrupted",
                "suspended",
                "success",
                "error",
                "timeout",
                "cancelled",
                "expired",
            ]
        ]
    ]
    """Of the events of runs, only those of runs with one of these statuses. Empty: of all."""
    tags: NotRequired[list[str]]
    """Of the events of runs, only those of runs with one of these tags. Empty: of all."""
    description: NotRequired[str | None]
    status: NotRequired[Literal["active", "paused"]]
    """`active` enables a paused or disabled webhook."""
    metadata: NotRequired[dict[str, Any] | None]
    """Merged into the existing metadata. Null removes a key, or all metadata."""


class WebhookSecret(TypedDict):
    webhook_id: str
    secret: str
    """The secret of the Standard Webhooks signature. It is only shown in this answer."""


class WebhookTestMessageData(TypedDict):
    webhook_id: str


class WebhookTestMessage(TypedDict):
    type: Literal["webhook.test"]
    timestamp: str
    data: WebhookTestMessageData


class WorkerSandbox(TypedDict):
    level: int
    name: str
    layers: list[str]
    missing: list[str]


class RunOptionsDebounce(TypedDict):
    key: str
    delay_ms: int


class RunOptions(TypedDict):
    env_vars: NotRequired[dict[str, str]]
    """Environment variables. They are stored encrypted and deleted when the run ends."""
    history: NotRequired[list[Any]]
    state_snapshot: NotRequired[str]
    """The state that an earlier run saved. The service does not interpret it."""
    thread_id: NotRequired[str | None]
    """The thread of the run. An unknown id creates a thread."""
    adapter_type: NotRequired[
        Literal[
            "python", "custom", "langchain", "langgraph", "crewai", "node", "command", "process", "http", "container"
        ]
    ]
    """`python` or left out: the adapter in the version's config, else Python. Another one than the config's
    is a 422 `adapter_mismatch`.
    """
    runtime_mode: NotRequired[Literal["standard", "isolated", "full"]]
    lifecycle: NotRequired[Literal["serverless", "interactive", "daemon"]]
    metadata: NotRequired[dict[str, Any]]
    """The client's own data on the run, by which lists are filtered."""
    tags: NotRequired[list[str]]
    """The client's own words for the run, by which lists are filtered."""
    completion_callback_url: NotRequired[str | None]
    """This URL gets a POST when the run has ended."""
    delay_ms: NotRequired[int | None]
    """The run is queued after this time."""
    run_at: NotRequired[str | None]
    """The run is queued at this time. A time that has passed is now."""
    debounce: NotRequired[RunOptionsDebounce | None]
    """The run is queued after `delay_ms`. A request for the same agent with the same key that comes earlier
    replaces the waiting run's request and starts its delay again; its answer is the same run. An
    `Idempotency-Key` is not looked at.
    """
    priority: NotRequired[int | None]
    """While runs wait, this one goes before its user's runs that came up to so many seconds earlier."""
    queue_ttl_ms: NotRequired[int | None]
    """The run expires when no worker claims it within this time."""
    timeout_ms: NotRequired[int | None]
    """The run ends as `timeout` after this time."""
    max_attempts: NotRequired[int | None]
    """The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an
    answer start its agent again and aren't counted.
    """
    max_cost_usd: NotRequired[float | None]
    """What the run may cost. Calls by connections that don't fit are refused (402). Where no call was
    metered, a run that reports more is ended (`budget_exceeded`).
    """
    max_tokens: NotRequired[int | None]
    """The same for input and output tokens together."""
    concurrency_key: NotRequired[str | None]
    """Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait."""
    key_concurrency: NotRequired[int | None]
    """Left out: the `key_concurrency` of the agent's config, else 1."""


class ListedRunEventRunQueuedEvent(RunQueuedEvent):
    id: str


class ListedRunEventRunWaitingEvent(RunWaitingEvent):
    id: str


class ListedRunEventRunStartedEvent(RunStartedEvent):
    id: str


class ListedRunEventOutputDeltaEvent(OutputDeltaEvent):
    id: str


class ListedRunEventLogEvent(LogEvent):
    id: str


class ListedRunEventProgressEvent(ProgressEvent):
    id: str


class ListedRunEventToolStartEvent(ToolStartEvent):
    id: str


class ListedRunEventToolEndEvent(ToolEndEvent):
    id: str


class ListedRunEventArtifactEvent(ArtifactEvent):
    id: str


class ListedRunEventStateEvent(StateEvent):
    id: str


class ListedRunEventUsageEvent(UsageEvent):
    id: str


class ListedRunEventCallStartEvent(CallStartEvent):
    id: str


class ListedRunEventCallMissedEvent(CallMissedEvent):
    id: str


class ListedRunEventCallEndEvent(CallEndEvent):
    id: str


class ListedRunEventCustomEvent(CustomEvent):
    id: str


class ListedRunEventStepStartEvent(StepStartEvent):
    id: str


class ListedRunEventStepRetryingEvent(StepRetryingEvent):
    id: str


class ListedRunEventStepCopiedEvent(StepCopiedEvent):
    id: str


class ListedRunEventReplayDivergedEvent(ReplayDivergedEvent):
    id: str


class ListedRunEventStepEndEvent(StepEndEvent):
    id: str


class ListedRunEventWaitOpenedEvent(WaitOpenedEvent):
    id: str


class ListedRunEventWaitEndedEvent(WaitEndedEvent):
    id: str


class ListedRunEventMessageAcceptedEvent(MessageAcceptedEvent):
    id: str


class ListedRunEventMessageTakenEvent(MessageTakenEvent):
    id: str


class ListedRunEventChildStartedEvent(ChildStartedEvent):
    id: str


class ListedRunEventChildEndedEvent(ChildEndedEvent):
    id: str


class ListedRunEventRunSuspendedEvent(RunSuspendedEvent):
    id: str


class ListedRunEventRunInterruptedEvent(RunInterruptedEvent):
    id: str


class ListedRunEventGapEvent(GapEvent):
    id: str


class ListedRunEventRunSuccessEvent(RunSuccessEvent):
    id: str


class ListedRunEventRunErrorEvent(RunErrorEvent):
    id: str


class ListedRunEventRunTimeoutEvent(RunTimeoutEvent):
    id: str


class ListedRunEventRunCancelledEvent(RunCancelledEvent):
    id: str


class ListedRunEventRunExpiredEvent(RunExpiredEvent):
    id: str


BuildEvent: TypeAlias = Union["BuildLogEvent", "BuildEndedEvent"]

DaemonEvent: TypeAlias = Union["DaemonStatusEvent", "DaemonLogEvent"]

DaemonLogEvent: TypeAlias = "DaemonLogLine"

DaemonStatusEvent: TypeAlias = "Daemon"

ListedRunEvent: TypeAlias = Union[
    "ListedRunEventRunQueuedEvent",
    "ListedRunEventRunWaitingEvent",
    "ListedRunEventRunStartedEvent",
    "ListedRunEventOutputDeltaEvent",
    "ListedRunEventLogEvent",
    "ListedRunEventProgressEvent",
    "ListedRunEventToolStartEvent",
    "ListedRunEventToolEndEvent",
    "ListedRunEventArtifactEvent",
    "ListedRunEventStateEvent",
    "ListedRunEventUsageEvent",
    "ListedRunEventCallStartEvent",
    "ListedRunEventCallMissedEvent",
    "ListedRunEventCallEndEvent",
    "ListedRunEventCustomEvent",
    "ListedRunEventStepStartEvent",
    "ListedRunEventStepRetryingEvent",
    "ListedRunEventStepCopiedEvent",
    "ListedRunEventReplayDivergedEvent",
    "ListedRunEventStepEndEvent",
    "ListedRunEventWaitOpenedEvent",
    "ListedRunEventWaitEndedEvent",
    "ListedRunEventMessageAcceptedEvent",
    "ListedRunEventMessageTakenEvent",
    "ListedRunEventChildStartedEvent",
    "ListedRunEventChildEndedEvent",
    "ListedRunEventRunSuspendedEvent",
    "ListedRunEventRunInterruptedEvent",
    "ListedRunEventGapEvent",
    "ListedRunEventRunSuccessEvent",
    "ListedRunEventRunErrorEvent",
    "ListedRunEventRunTimeoutEvent",
    "ListedRunEventRunCancelledEvent",
    "ListedRunEventRunExpiredEvent",
]

NotificationEvent: TypeAlias = "Notification"

RunChangeEvent: TypeAlias = Union["RunChanged", "RunChangesResync"]

RunEvent: TypeAlias = Union[
    "RunQueuedEvent",
    "RunWaitingEvent",
    "RunStartedEvent",
    "OutputDeltaEvent",
    "LogEvent",
    "ProgressEvent",
    "ToolStartEvent",
    "ToolEndEvent",
    "ArtifactEvent",
    "StateEvent",
    "UsageEvent",
    "CallStartEvent",
    "CallMissedEvent",
    "CallEndEvent",
    "CustomEvent",
    "StepStartEvent",
    "StepRetryingEvent",
    "StepCopiedEvent",
    "ReplayDivergedEvent",
    "StepEndEvent",
    "WaitOpenedEvent",
    "WaitEndedEvent",
    "MessageAcceptedEvent",
    "MessageTakenEvent",
    "ChildStartedEvent",
    "ChildEndedEvent",
    "RunSuspendedEvent",
    "RunInterruptedEvent",
    "GapEvent",
    "RunSuccessEvent",
    "RunErrorEvent",
    "RunTimeoutEvent",
    "RunCancelledEvent",
    "RunExpiredEvent",
]

WebhookMessage: TypeAlias = Union[
    "RunEndedMessage",
    "RunBegunMessage",
    "RunInterruptedMessage",
    "DaemonMessageToWebhook",
    "NotificationMessage",
    "WebhookTestMessage",
]
