# Written by `npm run openapi` from the module of this name in _async. Do not edit.
# ruff: noqa
# Written by `npm run openapi` from docs/openapi.json. Do not edit.
# ruff: noqa
"""The operations of the API, by area."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from .._generated import (
    AcceptedInput,
    Adapters,
    AdminOverview,
    AdminUser,
    Agent,
    AgentBody,
    AgentErrors,
    AgentListItem,
    AgentPatch,
    AgentSecret,
    AgentSecrets,
    AgentStats,
    AgentVersion,
    AgentVersionListItem,
    ApiKey,
    ApiKeyBody,
    AskingRun,
    AuditEntry,
    Backfill,
    BackfillBody,
    BatchResult,
    BillingEvent,
    Build,
    BuildEvent,
    BulkCancelBody,
    BulkOperation,
    BulkPreview,
    BulkReplayBody,
    CallbackSecret,
    CheckoutBody,
    CompletedRun,
    Completion,
    Connection,
    ConnectionBody,
    Costs,
    CurrentSession,
    Daemon,
    DaemonControl,
    DaemonControlled,
    DaemonEvent,
    DaemonLogLine,
    DaemonMessage,
    DaemonSettings,
    DaemonStop,
    DeadLetter,
    Delivery,
    DismissedWorker,
    ErrorGroupDetails,
    ErrorGroupPatch,
    ErrorGroups,
    ExecuteBatch,
    ExecuteRequest,
    Fleet,
    FleetHistory,
    ForkBody,
    Health,
    Hook,
    HookBody,
    HookDelivery,
    HookPatch,
    HookTest,
    HostedPage,
    InternalJobTurn,
    InternalJobs,
    InterruptAnswer,
    Invoice,
    Job,
    JobBody,
    JobListItem,
    JobPatch,
    JobTick,
    LatencyDistribution,
    Limits,
    ListedRunEvent,
    MessageRequest,
    NamespaceSearch,
    NewApiKey,
    NewDaemon,
    NewHook,
    NewWebhook,
    Notification,
    NotificationBody,
    NotificationEvent,
    NotificationPut,
    PastState,
    PausedAgent,
    Payment,
    Plan,
    PlanBody,
    PortalBody,
    Preferences,
    PreferencesBody,
    Progress,
    PublishedAgent,
    PublishedVersion,
    QueueState,
    Queues,
    ReadAnswer,
    ReadNotifications,
    RedeliverBody,
    Redelivery,
    ReplayBody,
    ReplayHookBody,
    ReplayedDeliveries,
    ResumedRun,
    Rollback,
    RotateHookBody,
    Run,
    RunArtifacts,
    RunCall,
    RunCallbacks,
    RunChangeEvent,
    RunCounts,
    RunEvent,
    RunInput,
    RunJournal,
    RunListItem,
    RunLog,
    RunPatch,
    RunStep,
    RunTimeline,
    RunTree,
    SchedulePreview,
    SchedulePreviewBody,
    SecretBody,
    Service,
    ServiceConfig,
    Session,
    SessionCode,
    SessionDepth,
    SignIn,
    SignalRequest,
    SpendLimitBody,
    StoreItem,
    StoreItemBody,
    StoreItems,
    StoreNamespaces,
    StoreSearch,
    StudioAgent,
    StudioFigures,
    Subscription,
    SubscriptionBody,
    TagBody,
    TestHookBody,
    Thread,
    ThreadBody,
    ThreadMessage,
    ThreadPatch,
    ThreadState,
    ThreadStateBody,
    TickPreview,
    TokenDistribution,
    Transaction,
    TransactionBody,
    UnreadCount,
    Upgrade,
    Upgraded,
    UsageEntry,
    UsageRecord,
    User,
    UserBody,
    UserPatch,
    UserUsage,
    ValidateRequest,
    Validation,
    VersionBody,
    VersionDiff,
    VersionPatch,
    Wallet,
    Webhook,
    WebhookBody,
    WebhookPatch,
    WebhookSecret,
)
from .._shared import fill_path
from .pages import Pages
from .resource import Resource
from .transport import Transport


class Execute(Resource):
    """The operations of execute."""

    def execute_agent(
        self,
        body: ExecuteRequest,
        *,
        on_disconnect: Literal["continue", "cancel"] | None = None,
        idempotency_key: str | None = None,
    ) -> Run:
        """Run an agent and stream its results."""
        return self._keyed(
            "/v1/execute",
            idempotency_key,
            body=body,
            query={"on_disconnect": on_disconnect},
            headers={"prefer": "respond-async"},
        )

    def execute_batch(self, body: ExecuteBatch, *, idempotency_key: str | None = None) -> BatchResult:
        """Start up to 100 runs at once."""
        return self._keyed("/v1/execute/batch", idempotency_key, body=body)

    def validate(self, body: ValidateRequest | bytes, *, fields: str | None = None) -> Validation:
        """Check whether a request would be accepted (dry run)."""
        return self._json("POST", "/v1/validate", body=body, query={"fields": fields})

    def list_adapters(self) -> Adapters:
        """The adapter types, and which of them are available."""
        return self._json("GET", "/v1/adapters")


class Runs(Resource):
    """The operations of runs."""

    def bulk_cancel(self, body: BulkCancelBody, *, idempotency_key: str | None = None) -> BulkPreview | BulkOperation:
        """Cancel all runs that match a filter."""
        return self._keyed("/v1/runs/bulk/cancel", idempotency_key, body=body)

    def bulk_replay(self, body: BulkReplayBody, *, idempotency_key: str | None = None) -> BulkPreview | BulkOperation:
        """Run all runs that match a filter again, with edits."""
        return self._keyed("/v1/runs/bulk/replay", idempotency_key, body=body)

    def list_bulk_operations(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["pending", "running", "done", "error"] | None = None,
        user_id: str | None = None,
    ) -> Pages[BulkOperation]:
        """Bulk operations, newest first."""
        return self._pages(
            "/v1/runs/bulk", {"limit": limit, "after": after, "order": order, "status": status, "user_id": user_id}
        )

    def get_bulk_operation(self, bulk_id: str) -> BulkOperation:
        """A bulk operation and its progress."""
        return self._json("GET", fill_path("/v1/runs/bulk/{}", bulk_id))

    def replay(self, run_id: str, body: ReplayBody | None = None, *, idempotency_key: str | None = None) -> Run:
        """Run the request of a run again, with edits."""
        return self._keyed(fill_path("/v1/runs/{}/replay", run_id), idempotency_key, body=body or {})

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
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
        | None = None,
        agent_id: str | list[str] | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        order_by: Literal["created_at", "duration_ms", "cost_usd"] | None = None,
        include: str | None = None,
        search_in: Literal["record", "output", "logs"] | None = None,
    ) -> Pages[RunListItem]:
        """Runs, newest first."""
        return self._pages(
            "/v1/runs",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "agent_id": agent_id,
                "version": version,
                "user_id": user_id,
                "thread_id": thread_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search": search,
                "order_by": order_by,
                "include": include,
                "search_in": search_in,
            },
        )

    def count(
        self,
        *,
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
        | None = None,
        agent_id: str | list[str] | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        by: Literal["status"] | None = None,
    ) -> RunCounts:
        """How many runs a list has, by status."""
        return self._json(
            "GET",
            "/v1/runs/count",
            query={
                "status": status,
                "agent_id": agent_id,
                "version": version,
                "user_id": user_id,
                "thread_id": thread_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search": search,
                "by": by,
            },
        )

    def stream_changes(
        self,
        *,
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
        | None = None,
        agent_id: str | list[str] | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        after: str | None = None,
    ) -> Iterator[RunChangeEvent]:
        """Stream the changes of a list of runs."""
        return self._stream(
            "/v1/runs/stream",
            {
                "status": status,
                "agent_id": agent_id,
                "version": version,
                "user_id": user_id,
                "thread_id": thread_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "after": after,
            },
            is_run=False,
        )

    def list_interrupts(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        agent_id: str | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Pages[AskingRun]:
        """Questions that wait for a person."""
        return self._pages(
            "/v1/interrupts",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "agent_id": agent_id,
                "user_id": user_id,
                "thread_id": thread_id,
                "since": since,
                "until": until,
            },
        )

    def get(self, run_id: str, *, token: str | None = None) -> Run:
        """A run's record."""
        return self._json("GET", fill_path("/v1/runs/{}", run_id), query={"token": token})

    def update(self, run_id: str, body: RunPatch) -> Run:
        """Change a run's metadata."""
        return self._json("PATCH", fill_path("/v1/runs/{}", run_id), body=body)

    def delete(self, run_id: str) -> None:
        """Delete a run that has ended."""
        self._json("DELETE", fill_path("/v1/runs/{}", run_id))

    def stream(self, run_id: str, *, after: str | None = None, token: str | None = None) -> Iterator[RunEvent]:
        """Stream a run's events, or resume the stream."""
        return self._stream(fill_path("/v1/runs/{}/stream", run_id), {"after": after, "token": token}, is_run=True)

    def list_events(
        self, run_id: str, *, limit: int | None = None, after: str | None = None, token: str | None = None
    ) -> Pages[ListedRunEvent]:
        """A run's events as a list."""
        return self._pages(fill_path("/v1/runs/{}/events", run_id), {"limit": limit, "after": after, "token": token})

    def list_logs(
        self,
        run_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        level: str | None = None,
        stream: Literal["stderr", "agent"] | None = None,
        token: str | None = None,
    ) -> Pages[RunLog]:
        """A run's log and stderr lines."""
        return self._pages(
            fill_path("/v1/runs/{}/logs", run_id),
            {"limit": limit, "after": after, "level": level, "stream": stream, "token": token},
        )

    def list_timeline(self, run_id: str, *, token: str | None = None) -> RunTimeline:
        """A run's status changes, with actor and reason."""
        return self._json("GET", fill_path("/v1/runs/{}/timeline", run_id), query={"token": token})

    def list_steps(
        self, run_id: str, *, limit: int | None = None, after: int | None = None, token: str | None = None
    ) -> Pages[RunStep]:
        """A durable run's steps, with their tries."""
        return self._pages(fill_path("/v1/runs/{}/steps", run_id), {"limit": limit, "after": after, "token": token})

    def get_journal(self, run_id: str, *, limit: int | None = None, after: int | None = None) -> RunJournal:
        """A durable run's journal, with its results."""
        return self._json("GET", fill_path("/v1/runs/{}/journal", run_id), query={"limit": limit, "after": after})

    def get_tree(self, run_id: str) -> RunTree:
        """The runs that a run has started, and what all of them used."""
        return self._json("GET", fill_path("/v1/runs/{}/tree", run_id))

    def list_calls(
        self,
        run_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        token: str | None = None,
    ) -> Pages[RunCall]:
        """A run's calls to its connections."""
        return self._pages(
            fill_path("/v1/runs/{}/calls", run_id), {"limit": limit, "after": after, "order": order, "token": token}
        )

    def list_callbacks(self, run_id: str) -> RunCallbacks:
        """A run's callback and its delivery attempts."""
        return self._json("GET", fill_path("/v1/runs/{}/callbacks", run_id))

    def redeliver_callback(self, run_id: str) -> Run:
        """Send a run's callback again."""
        return self._json("POST", fill_path("/v1/runs/{}/callbacks/redeliver", run_id))

    def list_artifacts(self, run_id: str, *, token: str | None = None) -> RunArtifacts:
        """A run's artifacts."""
        return self._json("GET", fill_path("/v1/runs/{}/artifacts", run_id), query={"token": token})

    def get_artifact(self, run_id: str, artifact_id: str, *, token: str | None = None) -> bytes:
        """Download an artifact of a run."""
        return self._bytes(fill_path("/v1/runs/{}/artifacts/{}", run_id, artifact_id), query={"token": token})

    def report_progress(self, run_id: str, body: Progress) -> Run:
        """Report a run's progress."""
        return self._json("POST", fill_path("/v1/runs/{}/progress", run_id), body=body)

    def resume(self, run_id: str, body: InterruptAnswer) -> ResumedRun:
        """Answer an interrupted run."""
        return self._json(
            "POST", fill_path("/v1/runs/{}/resume", run_id), body=body, headers={"prefer": "respond-async"}
        )

    def complete(self, run_id: str, body: Completion) -> CompletedRun:
        """End a run from outside."""
        return self._json("POST", fill_path("/v1/runs/{}/complete", run_id), body=body)

    def cancel(self, run_id: str) -> Run:
        """Cancel a run."""
        return self._json("POST", fill_path("/v1/runs/{}/cancel", run_id))

    def send_signal(self, run_id: str, name: str, body: SignalRequest) -> AcceptedInput:
        """Send a run a signal."""
        return self._json("POST", fill_path("/v1/runs/{}/signals/{}", run_id, name), body=body)

    def send_message(self, run_id: str, body: MessageRequest) -> AcceptedInput:
        """Say something to a run."""
        return self._json("POST", fill_path("/v1/runs/{}/messages", run_id), body=body)

    def list_inputs(
        self,
        run_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        untaken: bool | None = None,
    ) -> Pages[RunInput]:
        """What was said to a run."""
        return self._pages(
            fill_path("/v1/runs/{}/inputs", run_id),
            {"limit": limit, "after": after, "order": order, "untaken": untaken},
        )

    def send_signed_signal_signal__token__pos(self, token: str, *, idempotency_key: str | None = None) -> AcceptedInput:
        """Send a run a signal by an address."""
        return self._keyed(fill_path("/signal/{}", token), idempotency_key)


class Agents(Resource):
    """The operations of agents."""

    def create(
        self, body: AgentBody | bytes, *, fields: str | None = None, idempotency_key: str | None = None
    ) -> PublishedAgent:
        """Create an agent, or publish a version of it."""
        return self._keyed("/v1/agents", idempotency_key, body=body, query={"fields": fields})

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["active", "paused", "archived"] | None = None,
        user_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        include: str | None = None,
    ) -> Pages[AgentListItem]:
        """Agents, newest first."""
        return self._pages(
            "/v1/agents",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "user_id": user_id,
                "since": since,
                "until": until,
                "search": search,
                "include": include,
            },
        )

    def get(self, agent_id: str) -> Agent:
        """An agent with its current version."""
        return self._json("GET", fill_path("/v1/agents/{}", agent_id))

    def update(self, agent_id: str, body: AgentPatch) -> Agent:
        """Change an agent's name and metadata."""
        return self._json("PATCH", fill_path("/v1/agents/{}", agent_id), body=body)

    def delete(self, agent_id: str) -> None:
        """Delete an agent."""
        self._json("DELETE", fill_path("/v1/agents/{}", agent_id))

    def list_runs(
        self,
        agent_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
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
        | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        order_by: Literal["created_at", "duration_ms", "cost_usd"] | None = None,
        include: str | None = None,
        search_in: Literal["record", "output", "logs"] | None = None,
    ) -> Pages[RunListItem]:
        """An agent's runs, newest first."""
        return self._pages(
            fill_path("/v1/agents/{}/runs", agent_id),
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "version": version,
                "user_id": user_id,
                "thread_id": thread_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search": search,
                "order_by": order_by,
                "include": include,
                "search_in": search_in,
            },
        )

    def get_stats(self, agent_id: str, *, since: str | None = None, until: str | None = None) -> AgentStats:
        """Analytics of an agent's runs."""
        return self._json("GET", fill_path("/v1/agents/{}/stats", agent_id), query={"since": since, "until": until})

    def pause(self, agent_id: str, body: dict[str, Any] | None = None) -> PausedAgent:
        """Pause an agent: the kill switch."""
        return self._json("POST", fill_path("/v1/agents/{}/pause", agent_id), body=body or {})

    def resume(self, agent_id: str) -> Agent:
        """Resume a paused agent."""
        return self._json("POST", fill_path("/v1/agents/{}/resume", agent_id))

    def list_secrets(self, agent_id: str) -> AgentSecrets:
        """The names of an agent's secrets."""
        return self._json("GET", fill_path("/v1/agents/{}/secrets", agent_id))

    def put_secret(self, agent_id: str, name: str, body: SecretBody, *, tag: str | None = None) -> AgentSecret:
        """Set a secret of an agent."""
        return self._json("PUT", fill_path("/v1/agents/{}/secrets/{}", agent_id, name), body=body, query={"tag": tag})

    def delete_secret(self, agent_id: str, name: str, *, tag: str | None = None) -> None:
        """Remove a secret of an agent."""
        self._json("DELETE", fill_path("/v1/agents/{}/secrets/{}", agent_id, name), query={"tag": tag})


class Versions(Resource):
    """The operations of versions."""

    def list(
        self,
        agent_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["active", "deprecated", "archived"] | None = None,
        include: str | None = None,
    ) -> Pages[AgentVersionListItem]:
        """An agent's versions, newest first."""
        return self._pages(
            fill_path("/v1/versions/{}", agent_id),
            {"limit": limit, "after": after, "order": order, "status": status, "include": include},
        )

    def create(
        self, agent_id: str, body: VersionBody | bytes, *, fields: str | None = None, idempotency_key: str | None = None
    ) -> PublishedVersion:
        """Publish a version of an agent."""
        return self._keyed(fill_path("/v1/versions/{}", agent_id), idempotency_key, body=body, query={"fields": fields})

    def get(self, agent_id: str, version: str) -> AgentVersion:
        """A version by its name, a tag, `current` or `latest`."""
        return self._json("GET", fill_path("/v1/versions/{}/{}", agent_id, version))

    def update(self, agent_id: str, version: str, body: VersionPatch) -> AgentVersion:
        """Deprecate, archive or restore a version."""
        return self._json("PATCH", fill_path("/v1/versions/{}/{}", agent_id, version), body=body)

    def archive(self, agent_id: str, version: str) -> AgentVersion:
        """Archive a version."""
        return self._json("DELETE", fill_path("/v1/versions/{}/{}", agent_id, version))

    def get_build(self, agent_id: str, version: str) -> Build:
        """What is made of a version before its first run."""
        return self._json("GET", fill_path("/v1/versions/{}/{}/build", agent_id, version))

    def stream_build(self, agent_id: str, version: str, *, after: str | None = None) -> Iterator[BuildEvent]:
        """Stream a build's log."""
        return self._stream(
            fill_path("/v1/versions/{}/{}/build/stream", agent_id, version), {"after": after}, is_run=False
        )

    def diff(self, agent_id: str, version: str, *, against: str | None = None) -> VersionDiff:
        """The changes between the configs of two versions."""
        return self._json("GET", fill_path("/v1/versions/{}/{}/diff", agent_id, version), query={"against": against})

    def put_tag(self, agent_id: str, tag: str, body: TagBody) -> AgentVersion:
        """Point a tag at a version."""
        return self._json("PUT", fill_path("/v1/versions/{}/tags/{}", agent_id, tag), body=body)

    def delete_tag(self, agent_id: str, tag: str) -> None:
        """Remove a tag."""
        self._json("DELETE", fill_path("/v1/versions/{}/tags/{}", agent_id, tag))

    def upgrade_agent(self, body: Upgrade, *, strict: bool | None = None) -> Upgraded:
        """Make a version the current one."""
        return self._json("POST", "/v1/upgrade", body=body, query={"strict": strict})

    def rollback_agent(self, body: Rollback) -> Upgraded:
        """Go back to an earlier version."""
        return self._json("POST", "/v1/rollback", body=body)


class Threads(Resource):
    """The operations of threads."""

    def create(self, body: ThreadBody | None = None, *, idempotency_key: str | None = None) -> Thread:
        """Create a thread."""
        return self._keyed("/v1/threads", idempotency_key, body=body or {})

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        agent_id: str | None = None,
        user_id: str | None = None,
        status: Literal["idle", "busy", "interrupted", "error"] | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
    ) -> Pages[Thread]:
        """Threads, newest first."""
        return self._pages(
            "/v1/threads",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "agent_id": agent_id,
                "user_id": user_id,
                "status": status,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search": search,
            },
        )

    def get(self, thread_id: str) -> Thread:
        """A thread."""
        return self._json("GET", fill_path("/v1/threads/{}", thread_id))

    def update(self, thread_id: str, body: ThreadPatch) -> Thread:
        """Change a thread's title and metadata."""
        return self._json("PATCH", fill_path("/v1/threads/{}", thread_id), body=body)

    def delete(self, thread_id: str) -> None:
        """Delete a thread."""
        self._json("DELETE", fill_path("/v1/threads/{}", thread_id))

    def list_runs(
        self,
        thread_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
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
        | None = None,
        agent_id: str | list[str] | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        order_by: Literal["created_at", "duration_ms", "cost_usd"] | None = None,
        include: str | None = None,
        search_in: Literal["record", "output", "logs"] | None = None,
    ) -> Pages[RunListItem]:
        """A thread's runs, newest first."""
        return self._pages(
            fill_path("/v1/threads/{}/runs", thread_id),
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "agent_id": agent_id,
                "version": version,
                "user_id": user_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search": search,
                "order_by": order_by,
                "include": include,
                "search_in": search_in,
            },
        )

    def list_messages(
        self,
        thread_id: str,
        *,
        limit: int | None = None,
        after: int | None = None,
        order: Literal["desc", "asc"] | None = None,
    ) -> Pages[ThreadMessage]:
        """A thread's messages, newest first."""
        return self._pages(
            fill_path("/v1/threads/{}/messages", thread_id), {"limit": limit, "after": after, "order": order}
        )

    def get_state(self, thread_id: str) -> ThreadState:
        """A thread's state, with which its next run starts."""
        return self._json("GET", fill_path("/v1/threads/{}/state", thread_id))

    def set_state(self, thread_id: str, body: ThreadStateBody) -> ThreadState:
        """Set a thread's state, with which its next run starts."""
        return self._json("POST", fill_path("/v1/threads/{}/state", thread_id), body=body)

    def list_history(
        self,
        thread_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
    ) -> Pages[PastState]:
        """The states after each of a thread's runs, newest first."""
        return self._pages(
            fill_path("/v1/threads/{}/history", thread_id), {"limit": limit, "after": after, "order": order}
        )

    def fork(self, thread_id: str, body: ForkBody | None = None, *, idempotency_key: str | None = None) -> Thread:
        """Copy a thread up to one of its runs."""
        return self._keyed(fill_path("/v1/threads/{}/fork", thread_id), idempotency_key, body=body or {})

    def stream(self, thread_id: str, *, after: str | None = None) -> Iterator[RunEvent]:
        """Stream all runs of a thread, one after the other."""
        return self._stream(fill_path("/v1/threads/{}/stream", thread_id), {"after": after}, is_run=False)


class Jobs(Resource):
    """The operations of jobs."""

    def create(self, body: JobBody, *, idempotency_key: str | None = None) -> Job:
        """Schedule runs of an agent."""
        return self._keyed("/v1/jobs", idempotency_key, body=body)

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["active", "paused", "completed", "cancelled"] | None = None,
        agent_id: str | None = None,
        user_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        include: str | None = None,
    ) -> Pages[JobListItem]:
        """Jobs, newest first."""
        return self._pages(
            "/v1/jobs",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "agent_id": agent_id,
                "user_id": user_id,
                "since": since,
                "until": until,
                "search": search,
                "include": include,
            },
        )

    def get(self, job_id: str) -> Job:
        """A job with its next and its last tick."""
        return self._json("GET", fill_path("/v1/jobs/{}", job_id))

    def update(self, job_id: str, body: JobPatch) -> Job:
        """Change a job's request and schedule."""
        return self._json("PATCH", fill_path("/v1/jobs/{}", job_id), body=body)

    def delete(self, job_id: str) -> None:
        """Delete a job."""
        self._json("DELETE", fill_path("/v1/jobs/{}", job_id))

    def cancel(self, job_id: str) -> Job:
        """Cancel a job and its runs that have not ended."""
        return self._json("POST", fill_path("/v1/jobs/{}/cancel", job_id))

    def pause(self, job_id: str) -> Job:
        """Pause a job."""
        return self._json("POST", fill_path("/v1/jobs/{}/pause", job_id))

    def resume(self, job_id: str) -> Job:
        """Resume a paused job."""
        return self._json("POST", fill_path("/v1/jobs/{}/resume", job_id))

    def trigger(self, job_id: str, *, idempotency_key: str | None = None) -> Run:
        """Fire a job now."""
        return self._keyed(fill_path("/v1/jobs/{}/trigger", job_id), idempotency_key)

    def backfill(self, job_id: str, body: BackfillBody) -> Backfill:
        """Fire the ticks of a time that has passed."""
        return self._json("POST", fill_path("/v1/jobs/{}/backfill", job_id), body=body)

    def preview_schedule(self, body: SchedulePreviewBody) -> SchedulePreview:
        """The next ticks of a schedule."""
        return self._json("POST", "/v1/jobs/preview", body=body)

    def preview(self, job_id: str, *, count: int | None = None) -> TickPreview:
        """The next ticks of a job."""
        return self._json("GET", fill_path("/v1/jobs/{}/preview", job_id), query={"count": count})

    def list_runs(
        self,
        job_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
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
        | None = None,
        agent_id: str | list[str] | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        order_by: Literal["created_at", "duration_ms", "cost_usd"] | None = None,
        include: str | None = None,
        search_in: Literal["record", "output", "logs"] | None = None,
    ) -> Pages[RunListItem]:
        """A job's runs, newest first."""
        return self._pages(
            fill_path("/v1/jobs/{}/runs", job_id),
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "agent_id": agent_id,
                "version": version,
                "user_id": user_id,
                "thread_id": thread_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search": search,
                "order_by": order_by,
                "include": include,
                "search_in": search_in,
            },
        )

    def list_ticks(
        self,
        job_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
    ) -> Pages[JobTick]:
        """A job's ticks and their outcomes, newest first."""
        return self._pages(fill_path("/v1/jobs/{}/ticks", job_id), {"limit": limit, "after": after, "order": order})


class Store(Resource):
    """The operations of store."""

    def put_item(self, body: StoreItemBody) -> StoreItem:
        """Write an item."""
        return self._json("PUT", "/v1/store/items", body=body)

    def get_item(
        self, *, user_id: str | None = None, namespace: str, key: str, refresh_ttl: bool | None = None
    ) -> StoreItem:
        """Read an item."""
        return self._json(
            "GET",
            "/v1/store/items",
            query={"user_id": user_id, "namespace": namespace, "key": key, "refresh_ttl": refresh_ttl},
        )

    def delete_item(self, *, user_id: str | None = None, namespace: str, key: str) -> None:
        """Delete an item."""
        self._json("DELETE", "/v1/store/items", query={"user_id": user_id, "namespace": namespace, "key": key})

    def search_items(self, body: StoreSearch | None = None) -> StoreItems:
        """Find items by namespace and by fields of their values."""
        return self._json("POST", "/v1/store/items/search", body=body or {})

    def list_namespaces(self, body: NamespaceSearch | None = None) -> StoreNamespaces:
        """The namespaces that have items."""
        return self._json("POST", "/v1/store/namespaces", body=body or {})


class Users(Resource):
    """The operations of users."""

    def create(self, body: UserBody, *, idempotency_key: str | None = None) -> User:
        """Create a user."""
        return self._keyed("/v1/users", idempotency_key, body=body)

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
    ) -> Pages[User]:
        """Users, newest first."""
        return self._pages(
            "/v1/users",
            {"limit": limit, "after": after, "order": order, "since": since, "until": until, "search": search},
        )

    def get_me(self, *, user_id: str | None = None) -> User:
        """The user that the key belongs to."""
        return self._json("GET", "/v1/users/me", query={"user_id": user_id})

    def update_me(self, body: UserPatch, *, user_id: str | None = None) -> User:
        """Change your name, email address and metadata."""
        return self._json("PATCH", "/v1/users/me", body=body, query={"user_id": user_id})

    def get(self, user_id: str) -> User:
        """A user."""
        return self._json("GET", fill_path("/v1/users/{}", user_id))

    def update(self, user_id: str, body: UserPatch) -> User:
        """Change a user's name, email address and metadata."""
        return self._json("PATCH", fill_path("/v1/users/{}", user_id), body=body)

    def delete(self, user_id: str) -> None:
        """Delete a user."""
        self._json("DELETE", fill_path("/v1/users/{}", user_id))

    def list_api_keys(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        run_id: str | None = None,
    ) -> Pages[ApiKey]:
        """Your keys, without their secrets."""
        return self._pages(
            "/v1/users/me/api-keys",
            {"limit": limit, "after": after, "order": order, "user_id": user_id, "run_id": run_id},
        )

    def create_api_key(self, body: ApiKeyBody, *, idempotency_key: str | None = None) -> NewApiKey:
        """Create an API key."""
        return self._keyed("/v1/users/me/api-keys", idempotency_key, body=body)

    def revoke_api_key(self, key_id: str) -> None:
        """Revoke an API key."""
        self._json("DELETE", fill_path("/v1/users/me/api-keys/{}", key_id))

    def get_my_usage(
        self, *, user_id: str | None = None, since: str | None = None, until: str | None = None
    ) -> UserUsage:
        """The usage of your runs."""
        return self._json("GET", "/v1/users/me/usage", query={"user_id": user_id, "since": since, "until": until})

    def get_my_limits(self, *, user_id: str | None = None) -> Limits:
        """The limits of requests and runs, and your current numbers."""
        return self._json("GET", "/v1/users/me/limits", query={"user_id": user_id})

    def rotate_callback_secret(
        self, body: dict[str, Any] | None = None, *, idempotency_key: str | None = None
    ) -> CallbackSecret:
        """Create a new secret for callback signatures."""
        return self._keyed("/v1/users/me/callback-secret", idempotency_key, body=body or {})


class Sessions(Resource):
    """The operations of sessions."""

    def create(self, body: SignIn) -> CurrentSession:
        """Sign a browser in."""
        return self._json("POST", "/v1/sessions", body=body)

    def get_current(self) -> CurrentSession:
        """Who is signed in."""
        return self._json("GET", "/v1/sessions/current")

    def end_current(self) -> None:
        """Sign out."""
        self._json("DELETE", "/v1/sessions/current")

    def create_code(self) -> SessionCode:
        """Make a code that signs one browser in."""
        return self._json("POST", "/v1/sessions/codes")

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
    ) -> Pages[Session]:
        """Where you are signed in."""
        return self._pages(
            "/v1/users/me/sessions", {"limit": limit, "after": after, "order": order, "user_id": user_id}
        )

    def end(self, session_id: str) -> None:
        """End a session."""
        self._json("DELETE", fill_path("/v1/users/me/sessions/{}", session_id))


class Daemons(Resource):
    """The operations of daemons."""

    def control(self, agent_id: str, body: DaemonControl, *, wait: int | None = None) -> DaemonControlled:
        """Control an agent's daemon."""
        return self._json("POST", fill_path("/v1/daemon/{}/control", agent_id), body=body, query={"wait": wait})

    def get_status(self, agent_id: str) -> Daemon:
        """An agent's daemon."""
        return self._json("GET", fill_path("/v1/daemon/{}/status", agent_id))

    def start(self, agent_id: str, body: DaemonSettings | None = None, *, wait: int | None = None) -> DaemonControlled:
        """Start an agent's daemon."""
        return self._json("POST", fill_path("/v1/daemon/{}/start", agent_id), body=body or {}, query={"wait": wait})

    def stop(self, agent_id: str, body: DaemonStop | None = None, *, wait: int | None = None) -> DaemonControlled:
        """Stop an agent's daemon."""
        return self._json("POST", fill_path("/v1/daemon/{}/stop", agent_id), body=body or {}, query={"wait": wait})

    def list_logs(self, agent_id: str, *, limit: int | None = None, after: str | None = None) -> Pages[DaemonLogLine]:
        """A daemon's log, oldest first."""
        return self._pages(fill_path("/v1/daemon/{}/logs", agent_id), {"limit": limit, "after": after})

    def stream(self, agent_id: str, *, after: str | None = None) -> Iterator[DaemonEvent]:
        """Stream a daemon's log and status."""
        return self._stream(fill_path("/v1/daemon/{}/stream", agent_id), {"after": after}, is_run=False)

    def post_message(self, agent_id: str, body: DaemonMessage, *, wait: int | None = None) -> Run:
        """Send a message to an agent's daemon."""
        return self._json("POST", fill_path("/v1/daemon/{}/messages", agent_id), body=body, query={"wait": wait})

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal[
            "stopped", "starting", "running", "degraded", "paused", "stopping", "crashed", "backoff", "failed"
        ]
        | None = None,
        user_id: str | None = None,
    ) -> Pages[Daemon]:
        """Daemons, newest first."""
        return self._pages(
            "/v1/daemons", {"limit": limit, "after": after, "order": order, "status": status, "user_id": user_id}
        )

    def create(self, body: NewDaemon, *, wait: int | None = None) -> Daemon:
        """Start the daemon of an agent."""
        return self._json("POST", "/v1/daemons", body=body, query={"wait": wait})


class Notifications(Resource):
    """The operations of notifications."""

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        type: str | None = None,
        level: Literal["info", "warning", "error"] | None = None,
        unread: bool | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Pages[Notification]:
        """Notifications, newest first."""
        return self._pages(
            "/v1/notifications",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "type": type,
                "level": level,
                "unread": unread,
                "agent_id": agent_id,
                "run_id": run_id,
                "since": since,
                "until": until,
            },
        )

    def create(self, body: NotificationBody, *, idempotency_key: str | None = None) -> Notification:
        """Notify a user."""
        return self._keyed("/v1/notifications", idempotency_key, body=body)

    def count(self, *, user_id: str | None = None) -> UnreadCount:
        """The number of unread notifications."""
        return self._json("GET", "/v1/notifications/count", query={"user_id": user_id})

    def read(self, body: ReadNotifications) -> ReadAnswer:
        """Mark notifications as read."""
        return self._json("POST", "/v1/notifications/read", body=body)

    def read_all(self, body: dict[str, Any] | None = None) -> ReadAnswer:
        """Mark all notifications as read."""
        return self._json("POST", "/v1/notifications/read-all", body=body or {})

    def stream(self, *, user_id: str | None = None, after: str | None = None) -> Iterator[NotificationEvent]:
        """Stream notifications."""
        return self._stream("/v1/notifications/stream", {"user_id": user_id, "after": after}, is_run=False)

    def get_preferences(self, *, user_id: str | None = None) -> Preferences:
        """A user's notification preferences."""
        return self._json("GET", "/v1/notifications/preferences", query={"user_id": user_id})

    def put_preferences(self, body: PreferencesBody, *, user_id: str | None = None) -> Preferences:
        """Set a user's notification preferences."""
        return self._json("PUT", "/v1/notifications/preferences", body=body, query={"user_id": user_id})

    def get(self, notification_id: str) -> Notification:
        """A notification."""
        return self._json("GET", fill_path("/v1/notifications/{}", notification_id))

    def update(self, notification_id: str, body: NotificationPut) -> Notification:
        """Mark a notification as read or unread."""
        return self._json("PUT", fill_path("/v1/notifications/{}", notification_id), body=body)

    def delete(self, notification_id: str) -> None:
        """Delete a notification."""
        self._json("DELETE", fill_path("/v1/notifications/{}", notification_id))


class Webhooks(Resource):
    """The operations of webhooks."""

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        status: Literal["active", "paused", "disabled"] | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Pages[Webhook]:
        """Webhooks, newest first."""
        return self._pages(
            "/v1/webhooks",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "status": status,
                "since": since,
                "until": until,
            },
        )

    def create(self, body: WebhookBody, *, idempotency_key: str | None = None) -> NewWebhook:
        """Create a webhook."""
        return self._keyed("/v1/webhooks", idempotency_key, body=body)

    def get(self, webhook_id: str) -> Webhook:
        """A webhook."""
        return self._json("GET", fill_path("/v1/webhooks/{}", webhook_id))

    def update(self, webhook_id: str, body: WebhookPatch) -> Webhook:
        """Change a webhook."""
        return self._json("PATCH", fill_path("/v1/webhooks/{}", webhook_id), body=body)

    def delete(self, webhook_id: str) -> None:
        """Delete a webhook."""
        self._json("DELETE", fill_path("/v1/webhooks/{}", webhook_id))

    def list_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["pending", "delivered", "exhausted"] | None = None,
        type: str | None = None,
        since: str | None = None,
        until: str | None = None,
        include: str | None = None,
    ) -> Pages[Delivery]:
        """A webhook's deliveries, newest first."""
        return self._pages(
            fill_path("/v1/webhooks/{}/deliveries", webhook_id),
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "type": type,
                "since": since,
                "until": until,
                "include": include,
            },
        )

    def test(self, webhook_id: str, *, idempotency_key: str | None = None) -> Delivery:
        """Send a test event to a webhook."""
        return self._keyed(fill_path("/v1/webhooks/{}/test", webhook_id), idempotency_key)

    def redeliver_delivery(self, webhook_id: str, body: RedeliverBody) -> Delivery | Redelivery:
        """Send one delivery again, or all since a time."""
        return self._json("POST", fill_path("/v1/webhooks/{}/redeliver", webhook_id), body=body)

    def rotate_secret(self, webhook_id: str, *, idempotency_key: str | None = None) -> WebhookSecret:
        """Create a new secret for a webhook."""
        return self._keyed(fill_path("/v1/webhooks/{}/rotate", webhook_id), idempotency_key)


class Hooks(Resource):
    """The operations of hooks."""

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        status: Literal["active", "paused"] | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Pages[Hook]:
        """Hooks, newest first."""
        return self._pages(
            "/v1/hooks",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "agent_id": agent_id,
                "status": status,
                "since": since,
                "until": until,
            },
        )

    def create(self, body: HookBody, *, idempotency_key: str | None = None) -> NewHook:
        """Make an address that starts runs."""
        return self._keyed("/v1/hooks", idempotency_key, body=body)

    def get(self, hook_id: str) -> Hook:
        """A hook."""
        return self._json("GET", fill_path("/v1/hooks/{}", hook_id))

    def update(self, hook_id: str, body: HookPatch) -> Hook:
        """Change a hook."""
        return self._json("PATCH", fill_path("/v1/hooks/{}", hook_id), body=body)

    def delete(self, hook_id: str) -> None:
        """Delete a hook."""
        self._json("DELETE", fill_path("/v1/hooks/{}", hook_id))

    def rotate_secret(
        self, hook_id: str, body: RotateHookBody | None = None, *, idempotency_key: str | None = None
    ) -> NewHook:
        """Give a hook another secret."""
        return self._keyed(fill_path("/v1/hooks/{}/rotate", hook_id), idempotency_key, body=body or {})

    def test(self, hook_id: str, body: TestHookBody) -> HookTest:
        """Show what a hook would make of a delivery."""
        return self._json("POST", fill_path("/v1/hooks/{}/test", hook_id), body=body)

    def list_deliveries(
        self,
        hook_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["pending", "accepted", "filtered", "failed", "handshake"] | None = None,
        event: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Pages[HookDelivery]:
        """A hook's deliveries, newest first."""
        return self._pages(
            fill_path("/v1/hooks/{}/deliveries", hook_id),
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "event": event,
                "since": since,
                "until": until,
            },
        )

    def replay_deliveries(
        self, hook_id: str, body: ReplayHookBody, *, idempotency_key: str | None = None
    ) -> ReplayedDeliveries:
        """Repeat one delivery, or all since a time."""
        return self._keyed(fill_path("/v1/hooks/{}/replay", hook_id), idempotency_key, body=body)


class Connections(Resource):
    """The operations of connections."""

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
    ) -> Pages[Connection]:
        """Connections, newest first."""
        return self._pages(
            "/v1/connections",
            {"limit": limit, "after": after, "order": order, "user_id": user_id, "agent_id": agent_id},
        )

    def get(self, connection_id: str, *, user_id: str | None = None, agent_id: str | None = None) -> Connection:
        """A connection."""
        return self._json(
            "GET", fill_path("/v1/connections/{}", connection_id), query={"user_id": user_id, "agent_id": agent_id}
        )

    def put(
        self, connection_id: str, body: ConnectionBody, *, user_id: str | None = None, agent_id: str | None = None
    ) -> Connection:
        """Set a connection."""
        return self._json(
            "PUT",
            fill_path("/v1/connections/{}", connection_id),
            body=body,
            query={"user_id": user_id, "agent_id": agent_id},
        )

    def delete(self, connection_id: str, *, user_id: str | None = None, agent_id: str | None = None) -> None:
        """Delete a connection."""
        self._json(
            "DELETE", fill_path("/v1/connections/{}", connection_id), query={"user_id": user_id, "agent_id": agent_id}
        )


class Secrets(Resource):
    """The operations of secrets."""

    def list(self, *, user_id: str | None = None) -> AgentSecrets:
        """The names of the secrets of all of your agents."""
        return self._json("GET", "/v1/secrets", query={"user_id": user_id})

    def put(self, name: str, body: SecretBody, *, user_id: str | None = None, tag: str | None = None) -> AgentSecret:
        """Set a secret of all of your agents."""
        return self._json("PUT", fill_path("/v1/secrets/{}", name), body=body, query={"user_id": user_id, "tag": tag})

    def delete(self, name: str, *, user_id: str | None = None, tag: str | None = None) -> None:
        """Remove a secret of all of your agents."""
        self._json("DELETE", fill_path("/v1/secrets/{}", name), query={"user_id": user_id, "tag": tag})


class Studio(Resource):
    """The operations of studio."""

    def get_overview(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        unit: Literal["hour", "day", "week", "month"] | None = None,
        timezone: str | None = None,
        user_id: str | None = None,
    ) -> StudioFigures:
        """Analytics of all your runs over time."""
        return self._json(
            "GET",
            "/v1/studio/overview",
            query={"since": since, "until": until, "unit": unit, "timezone": timezone, "user_id": user_id},
        )

    def list_agents(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["active", "paused", "archived"] | None = None,
        user_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        include: str | None = None,
    ) -> Pages[StudioAgent]:
        """Agents with the analytics of their runs."""
        return self._pages(
            "/v1/studio/agents",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "user_id": user_id,
                "since": since,
                "until": until,
                "search": search,
                "include": include,
            },
        )

    def get_agent_stats(
        self,
        agent_id: str,
        *,
        since: str | None = None,
        until: str | None = None,
        unit: Literal["hour", "day", "week", "month"] | None = None,
        timezone: str | None = None,
        version: str | None = None,
    ) -> StudioFigures:
        """Analytics of an agent's runs over time."""
        return self._json(
            "GET",
            fill_path("/v1/studio/agents/{}/stats", agent_id),
            query={"since": since, "until": until, "unit": unit, "timezone": timezone, "version": version},
        )

    def list_agent_runs(
        self,
        agent_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
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
        | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        order_by: Literal["created_at", "duration_ms", "cost_usd"] | None = None,
        include: str | None = None,
        search_in: Literal["record", "output", "logs"] | None = None,
    ) -> Pages[RunListItem]:
        """An agent's runs, newest first."""
        return self._pages(
            fill_path("/v1/studio/agents/{}/runs", agent_id),
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "version": version,
                "user_id": user_id,
                "thread_id": thread_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search": search,
                "order_by": order_by,
                "include": include,
                "search_in": search_in,
            },
        )

    def get_agent_errors(self, agent_id: str, *, since: str | None = None, until: str | None = None) -> AgentErrors:
        """The errors of an agent's runs, most frequent first."""
        return self._json(
            "GET", fill_path("/v1/studio/agents/{}/errors", agent_id), query={"since": since, "until": until}
        )

    def list_error_groups(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        agent_id: str | None = None,
        version: str | None = None,
        state: Literal["open", "resolved", "ignored"] | None = None,
        limit: int | None = None,
    ) -> ErrorGroups:
        """The errors of all agents in groups that are alike."""
        return self._json(
            "GET",
            "/v1/studio/errors",
            query={
                "since": since,
                "until": until,
                "agent_id": agent_id,
                "version": version,
                "state": state,
                "limit": limit,
            },
        )

    def get_error_group(
        self, fingerprint: str, *, since: str | None = None, until: str | None = None
    ) -> ErrorGroupDetails:
        """A group of errors that are alike, with its runs."""
        return self._json("GET", fill_path("/v1/studio/errors/{}", fingerprint), query={"since": since, "until": until})

    def update_error_group(
        self, fingerprint: str, body: ErrorGroupPatch, *, since: str | None = None, until: str | None = None
    ) -> ErrorGroupDetails:
        """Resolve, ignore or open a group of errors."""
        return self._json(
            "PATCH", fill_path("/v1/studio/errors/{}", fingerprint), body=body, query={"since": since, "until": until}
        )

    def list_usage_log(
        self,
        agent_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
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
        | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search_in: Literal["record", "output", "logs"] | None = None,
    ) -> Pages[UsageEntry]:
        """The usage of each of an agent's runs, newest first."""
        return self._pages(
            fill_path("/v1/studio/agents/{}/usage-log", agent_id),
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "version": version,
                "user_id": user_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search_in": search_in,
            },
        )

    def get_latency_distribution(
        self, agent_id: str, *, since: str | None = None, until: str | None = None
    ) -> LatencyDistribution:
        """The durations and queue times of an agent's runs."""
        return self._json(
            "GET",
            fill_path("/v1/studio/agents/{}/latency-distribution", agent_id),
            query={"since": since, "until": until},
        )

    def get_token_distribution(
        self, agent_id: str, *, since: str | None = None, until: str | None = None
    ) -> TokenDistribution:
        """The token usage of an agent's runs."""
        return self._json(
            "GET",
            fill_path("/v1/studio/agents/{}/token-distribution", agent_id),
            query={"since": since, "until": until},
        )

    def get_session_depth(self, agent_id: str, *, since: str | None = None, until: str | None = None) -> SessionDepth:
        """The number of runs in an agent's threads."""
        return self._json(
            "GET", fill_path("/v1/studio/agents/{}/session-depth", agent_id), query={"since": since, "until": until}
        )

    def export_runs(
        self,
        *,
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
        | None = None,
        agent_id: str | list[str] | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> bytes:
        """Export the usage of runs as a file."""
        return self._bytes(
            "/v1/studio/export",
            query={
                "status": status,
                "agent_id": agent_id,
                "version": version,
                "user_id": user_id,
                "thread_id": thread_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "format": format,
            },
        )


class Admin(Resource):
    """The operations of admin."""

    def get_overview(self) -> AdminOverview:
        """An overview of the service."""
        return self._json("GET", "/v1/admin/overview")

    def get_config(self) -> ServiceConfig:
        """The variables that this API runs with."""
        return self._json("GET", "/v1/admin/config")

    def get_fleet(self) -> Fleet:
        """The workers."""
        return self._json("GET", "/v1/admin/fleet")

    def get_fleet_history(
        self, *, since: str | None = None, until: str | None = None, pool: str | None = None
    ) -> FleetHistory:
        """How busy the fleet was."""
        return self._json("GET", "/v1/admin/history", query={"since": since, "until": until, "pool": pool})

    def drain_worker(self, worker_id: str) -> DismissedWorker:
        """Drain a worker."""
        return self._json("POST", fill_path("/v1/admin/workers/{}/drain", worker_id))

    def kill_worker(self, worker_id: str) -> DismissedWorker:
        """Stop a worker at once."""
        return self._json("POST", fill_path("/v1/admin/workers/{}/kill", worker_id))

    def list_queues(self) -> Queues:
        """The queues of runs and callbacks."""
        return self._json("GET", "/v1/admin/queues")

    def pause_queue(self, queue_id: str) -> QueueState:
        """Pause a queue."""
        return self._json("POST", fill_path("/v1/admin/queues/{}/pause", queue_id))

    def resume_queue(self, queue_id: str) -> QueueState:
        """Resume a queue."""
        return self._json("POST", fill_path("/v1/admin/queues/{}/resume", queue_id))

    def list_dead_letters(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        run_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Pages[DeadLetter]:
        """Callbacks and webhook deliveries that were given up, newest first."""
        return self._pages(
            "/v1/admin/dead-letters",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "run_id": run_id,
                "since": since,
                "until": until,
            },
        )

    def list_all_users(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
    ) -> Pages[AdminUser]:
        """Users, with the analytics of their last 30 days."""
        return self._pages(
            "/v1/admin/users",
            {"limit": limit, "after": after, "order": order, "since": since, "until": until, "search": search},
        )

    def list_all_agents(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["active", "paused", "archived"] | None = None,
        user_id: str | None = None,
        search: str | None = None,
    ) -> Pages[StudioAgent]:
        """All users' agents, with the analytics of their last 30 days."""
        return self._pages(
            "/v1/admin/agents",
            {"limit": limit, "after": after, "order": order, "status": status, "user_id": user_id, "search": search},
        )

    def list_all_runs(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
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
        | None = None,
        agent_id: str | list[str] | None = None,
        version: str | list[str] | None = None,
        user_id: str | None = None,
        thread_id: str | None = None,
        job_id: str | None = None,
        replay_of: str | None = None,
        bulk_id: str | None = None,
        parent_run_id: str | None = None,
        root_run_id: str | None = None,
        worker_id: str | None = None,
        origin: Literal["api", "job", "daemon", "replay", "run"] | None = None,
        lifecycle: Literal["serverless", "interactive", "daemon"] | None = None,
        error_code: str | None = None,
        min_duration_ms: int | None = None,
        tag: str | None = None,
        metadata: dict[str, str] | None = None,
        since: str | None = None,
        until: str | None = None,
        search: str | None = None,
        order_by: Literal["created_at", "duration_ms", "cost_usd"] | None = None,
        include: str | None = None,
        search_in: Literal["record", "output", "logs"] | None = None,
    ) -> Pages[RunListItem]:
        """All users' runs, newest first."""
        return self._pages(
            "/v1/admin/runs",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "agent_id": agent_id,
                "version": version,
                "user_id": user_id,
                "thread_id": thread_id,
                "job_id": job_id,
                "replay_of": replay_of,
                "bulk_id": bulk_id,
                "parent_run_id": parent_run_id,
                "root_run_id": root_run_id,
                "worker_id": worker_id,
                "origin": origin,
                "lifecycle": lifecycle,
                "error_code": error_code,
                "min_duration_ms": min_duration_ms,
                "tag": tag,
                "metadata": metadata,
                "since": since,
                "until": until,
                "search": search,
                "order_by": order_by,
                "include": include,
                "search_in": search_in,
            },
        )

    def kill_run(self, run_id: str, body: dict[str, Any] | None = None) -> Run:
        """End a run at once, even if its worker hangs."""
        return self._json("POST", fill_path("/v1/admin/runs/{}/kill", run_id), body=body or {})

    def list_all_daemons(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal[
            "stopped", "starting", "running", "degraded", "paused", "stopping", "crashed", "backoff", "failed"
        ]
        | None = None,
        user_id: str | None = None,
    ) -> Pages[Daemon]:
        """All users' daemons, newest first."""
        return self._pages(
            "/v1/admin/daemons", {"limit": limit, "after": after, "order": order, "status": status, "user_id": user_id}
        )

    def get_costs(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        by: Literal["user", "agent"] | None = None,
        limit: int | None = None,
    ) -> Costs:
        """Costs by user or agent, highest first."""
        return self._json("GET", "/v1/admin/costs", query={"since": since, "until": until, "by": by, "limit": limit})

    def list_audit(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        actor: str | None = None,
        action: str | None = None,
        target_type: str | None = None,
        target_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Pages[AuditEntry]:
        """The audit log, newest first."""
        return self._pages(
            "/v1/admin/audit",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "actor": actor,
                "action": action,
                "target_type": target_type,
                "target_id": target_id,
                "since": since,
                "until": until,
            },
        )


class Billing(Resource):
    """The operations of billing."""

    def get_wallet(self, *, user_id: str | None = None) -> Wallet:
        """Your balance, your plan and this week's usage."""
        return self._json("GET", "/v1/billing/wallet", query={"user_id": user_id})

    def list_plans(
        self, *, limit: int | None = None, after: str | None = None, order: Literal["desc", "asc"] | None = None
    ) -> Pages[Plan]:
        """Plans, newest first."""
        return self._pages("/v1/billing/plans", {"limit": limit, "after": after, "order": order})

    def put_plan(self, plan_id: str, body: PlanBody) -> Plan:
        """Create or change a plan."""
        return self._json("PUT", fill_path("/v1/billing/plans/{}", plan_id), body=body)

    def list_subscriptions(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        status: Literal[
            "incomplete", "incomplete_expired", "trialing", "active", "past_due", "unpaid", "paused", "canceled"
        ]
        | None = None,
    ) -> Pages[Subscription]:
        """Subscriptions, newest first."""
        return self._pages(
            "/v1/billing/subscriptions",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "since": since,
                "until": until,
                "status": status,
            },
        )

    def create_subscription(self, body: SubscriptionBody, *, idempotency_key: str | None = None) -> Subscription:
        """Subscribe to a free plan."""
        return self._keyed("/v1/billing/subscriptions", idempotency_key, body=body)

    def get_subscription(self, subscription_id: str) -> Subscription:
        """A subscription."""
        return self._json("GET", fill_path("/v1/billing/subscriptions/{}", subscription_id))

    def cancel_subscription(self, subscription_id: str, *, at_once: bool | None = None) -> Subscription:
        """Cancel a subscription."""
        return self._json(
            "POST", fill_path("/v1/billing/subscriptions/{}/cancel", subscription_id), query={"at_once": at_once}
        )

    def resume_subscription(self, subscription_id: str) -> Subscription:
        """Resume a subscription."""
        return self._json("POST", fill_path("/v1/billing/subscriptions/{}/resume", subscription_id))

    def list_transactions(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        type: Literal["top_up", "refund", "usage", "grant"] | None = None,
    ) -> Pages[Transaction]:
        """Bookings of wallets, newest first."""
        return self._pages(
            "/v1/billing/transactions",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "since": since,
                "until": until,
                "type": type,
            },
        )

    def create_transaction(self, body: TransactionBody, *, idempotency_key: str | None = None) -> Transaction:
        """Credit or correct a user's wallet."""
        return self._keyed("/v1/billing/transactions", idempotency_key, body=body)

    def list_payments(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        status: str | None = None,
    ) -> Pages[Payment]:
        """Payments, newest first."""
        return self._pages(
            "/v1/billing/payments",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "since": since,
                "until": until,
                "status": status,
            },
        )

    def list_invoices(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        status: str | None = None,
    ) -> Pages[Invoice]:
        """Invoices, newest first."""
        return self._pages(
            "/v1/billing/invoices",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "since": since,
                "until": until,
                "status": status,
            },
        )

    def list_usage(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        user_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> Pages[UsageRecord]:
        """The usage and cost of each run, newest first."""
        return self._pages(
            "/v1/billing/usage",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "user_id": user_id,
                "since": since,
                "until": until,
                "agent_id": agent_id,
                "run_id": run_id,
            },
        )

    def put_spend_limit(self, body: SpendLimitBody) -> Wallet:
        """Set the spend limit of a day, a week or a month."""
        return self._json("PUT", "/v1/billing/spend-limit", body=body)

    def create_checkout(self, body: CheckoutBody, *, idempotency_key: str | None = None) -> HostedPage:
        """Create a checkout page for a plan or a wallet top-up."""
        return self._keyed("/v1/billing/checkout", idempotency_key, body=body)

    def create_portal(self, body: PortalBody) -> HostedPage:
        """Create a page for managing cards, invoices and subscriptions."""
        return self._json("POST", "/v1/billing/portal", body=body)

    def list_events(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        order: Literal["desc", "asc"] | None = None,
        status: Literal["applied", "waiting", "unreadable", "ignored"] | None = None,
        type: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Pages[BillingEvent]:
        """Signed events of the payment provider, newest first."""
        return self._pages(
            "/v1/billing/events",
            {
                "limit": limit,
                "after": after,
                "order": order,
                "status": status,
                "type": type,
                "since": since,
                "until": until,
            },
        )

    def reapply_event(self, event_id: str) -> BillingEvent:
        """Read and apply a stored event again."""
        return self._json("POST", fill_path("/v1/billing/events/{}/reapply", event_id))


class Internal(Resource):
    """The operations of internal."""

    def list_jobs(self) -> InternalJobs:
        """The maintenance jobs, each with its last run."""
        return self._json("GET", "/v1/internal/jobs")

    def run_job(self, name: str, *, dry_run: bool | None = None) -> InternalJobTurn:
        """Run a maintenance job now."""
        return self._json("POST", fill_path("/v1/internal/jobs/{}", name), query={"dry_run": dry_run})


class System(Resource):
    """The operations of system."""

    def service(self) -> Service:
        """The service's name, version and documentation."""
        return self._json("GET", "/")

    def health(self) -> Health:
        """The status of Postgres, Redis and the workers."""
        return self._json("GET", "/health")

    def health_live(self) -> dict[str, Any]:
        """Liveness: this process answers."""
        return self._json("GET", "/health/live")

    def health_ready(self) -> dict[str, Any]:
        """Readiness: this process can accept runs."""
        return self._json("GET", "/health/ready")

    def metrics(self) -> bytes:
        """Metrics for Prometheus."""
        return self._bytes("/metrics")

    def openapi(self) -> dict[str, Any]:
        """This document."""
        return self._json("GET", "/openapi.json")

    def config_schema_runfleet_schema_json_ge(self) -> dict[str, Any]:
        """The JSON Schema of runfleet.json."""
        return self._json("GET", "/runfleet.schema.json")


class Resources:
    """All operations of the API."""

    def __init__(self, transport: Transport) -> None:
        self.execute = Execute(transport)
        self.runs = Runs(transport)
        self.agents = Agents(transport)
        self.versions = Versions(transport)
        self.threads = Threads(transport)
        self.jobs = Jobs(transport)
        self.store = Store(transport)
        self.users = Users(transport)
        self.sessions = Sessions(transport)
        self.daemons = Daemons(transport)
        self.notifications = Notifications(transport)
        self.webhooks = Webhooks(transport)
        self.hooks = Hooks(transport)
        self.connections = Connections(transport)
        self.secrets = Secrets(transport)
        self.studio = Studio(transport)
        self.admin = Admin(transport)
        self.billing = Billing(transport)
        self.internal = Internal(transport)
        self.system = System(transport)
