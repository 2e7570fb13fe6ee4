import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { errorText } from "../../../shared/platform/error-text.ts";

test("an error is told with its causes: of a host whose addresses all refuse, what each said", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  const addresses = ["127.0.0.1", "127.0.0.2"];
  const refused: unknown = await new Promise((resolve) =>
    connect({
      host: "two.test",
      port,
      lookup: (_, __, found) =>
        found(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
    }).once("error", resolve),
  );
  expect(refused).toMatchObject({ message: "" });
  const said = addresses.map((address) => `connect ECONNREFUSED ${address}:${port}`).join("; ");
  expect(errorText(refused)).toBe(said);
  const wrapped = new TypeError("fetch failed", { cause: refused });
  expect(errorText(wrapped)).toBe(`fetch failed: ${said}`);
  // What an error repeats of its cause is told once, and one that says nothing by its name.
  expect(errorText(new Error(`No store: ${errorText(wrapped)}`, { cause: wrapped }))).toBe(
    `No store: fetch failed: ${said}`,
  );
  expect([errorText(new AggregateError([])), errorText("a word")]).toEqual(["AggregateError", "a word"]);
  wrapped.cause = wrapped;
  expect(errorText(wrapped)).toBe("fetch failed");
});
