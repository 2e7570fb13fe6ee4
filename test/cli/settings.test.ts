import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { listProfiles, readSettings } from "../../cli/settings.ts";

/** Makes a home with a user's own config. */
function makeHome(profiles: object): void {
  const home = mkdtempSync(join(tmpdir(), "runfleet-home-"));
  mkdirSync(join(home, ".config/runfleet"), { recursive: true });
  writeFileSync(join(home, ".config/runfleet/config.json"), JSON.stringify({ profiles }));
  vi.stubEnv("HOME", home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });
}

test("an empty variable takes the place of nothing that is configured", () => {
  const profile = { url: "https://runfleet.example", api_key: "k" };
  makeHome({ default: profile });
  const names = ["RUNFLEET_URL", "RUNFLEET_API_KEY", "RUNFLEET_PROFILE", "XDG_CONFIG_HOME"];
  const empty = Object.fromEntries(names.map((name) => [name, ""]));
  expect(listProfiles({}, empty)).toEqual({ default: profile });
  expect(readSettings({}, () => ({}), empty)).toEqual({ url: profile.url, apiKey: "k" });
  const set = { ...empty, RUNFLEET_URL: "http://there/", RUNFLEET_API_KEY: "other" };
  expect(readSettings({}, () => ({}), set)).toEqual({ url: "http://there", apiKey: "other" });
});
