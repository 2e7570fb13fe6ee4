import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { followRun } from "../../../chaos/drive/follow-run.ts";
import type { History } from "../../../chaos/drive/history.ts";
import { createRandom } from "../../../chaos/random.ts";
import { faultsOfStream } from "../../../chaos/upgrade/load.ts";

test("a reader of chaos takes 408 and 503 for passing faults, and notes every other answer", async () => {
  const statuses = [503, 500, 408, 404, 204];
  const server = createServer((_req, res) => void res.writeHead(statuses.shift() ?? 204).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const history: History = { run_id: "r", events: [], cuts: 0, breaks: 0, ended: false, oddities: [] };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await followRun({ apiUrls: [url], random: createRandom("1"), deadline: performance.now() + 20_000 }, history);
  expect(history.oddities).toEqual(["resuming was answered 500", "resuming was answered 404"]);
  expect(history.ended).toBe(true);
});

test("a stream of an upgrade that is never ended is a fault, as a missing event is", () => {
  const event = (id: string, type: string) => `id: ${id}\nevent: ${type}\ndata: {}\n\n`;
  const begun = event("0-1", "run.queued") + event("1-1", "run.started");
  expect(faultsOfStream(begun + event("1-2", "run.success"))).toEqual([]);
  expect(faultsOfStream(begun)).toEqual(["its stream never ended"]);
  expect(faultsOfStream(begun + event("1-3", "run.success"))).toEqual(["after the event 1-1 came 1-3"]);
});
