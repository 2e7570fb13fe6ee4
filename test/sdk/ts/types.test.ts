import { expect, expectTypeOf, test } from "vitest";
import {
  type Build,
  type BuildEvent,
  type Daemon,
  type DaemonLogLine,
  type EventOf,
  type Notification,
  type Page,
  type Run,
  type RunEvent,
  type RunListItem,
  Runfleet,
} from "../../../sdk/ts/index.ts";

// What is written here is compiled by `tsc`, and never sent.
const client = new Runfleet({ url: "http://127.0.0.1:9" });

test("types: an event is told by its type, a list by its items, and a wrong request does not compile", () => {
  const event = { type: "tool.start", name: "search" } as RunEvent;
  if (event.type === "tool.start") expectTypeOf(event.name).toEqualTypeOf<string>();
  expectTypeOf<EventOf<"output.delta">["content"]>().toEqualTypeOf<unknown>();
  expectTypeOf(client.runs.get).returns.toEqualTypeOf<Promise<Run>>();
  expectTypeOf<ReturnType<ReturnType<typeof client.runs.list>["page"]>>().toEqualTypeOf<Promise<Page<RunListItem>>>();
  expectTypeOf(client.runs.stream).returns.toEqualTypeOf<AsyncGenerator<RunEvent>>();
  expectTypeOf(client.notifications.stream).returns.toEqualTypeOf<AsyncGenerator<Notification>>();
  expectTypeOf(client.daemons.stream).returns.toEqualTypeOf<AsyncGenerator<Daemon | DaemonLogLine>>();
  expectTypeOf<BuildEvent>().toEqualTypeOf<{ text: string } | Pick<Build, "state" | "error">>();
  expectTypeOf(client.runs.delete).returns.toEqualTypeOf<Promise<void>>();
  expectTypeOf(client.runs.getArtifact).returns.toEqualTypeOf<Promise<Response>>();
  const run = client.run("counter", { n: 1 }, { version: "1.0.0", files: { "a.bin": new Uint8Array(1) } });
  expectTypeOf<ReturnType<typeof run.result<{ n: number }>>>().toEqualTypeOf<Promise<{ n: number }>>();
  expectTypeOf(run.text()).toEqualTypeOf<AsyncGenerator<string>>();
  // @ts-expect-error -- there is no such status
  client.runs.list({ status: "done" });
  // @ts-expect-error -- a run needs an agent
  client.run();
  // @ts-expect-error -- an option that doesn't exist is no option
  client.run("counter", {}, { timeout: 5 });
  // @ts-expect-error -- the value is missing
  void client.agents.putSecret("asker", "KEY", {}).catch(() => undefined);
  expect(run.id).toMatch(/^run_[0-9a-f]{32}$/);
});
