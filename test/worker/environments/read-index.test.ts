import { describe, expect, test } from "vitest";
import { readIndex } from "../../../worker/environments/read-index.ts";

const files: Record<string, string> = {};
const read = (env: Record<string, string>, given: Record<string, string> = {}, moreHosts: string[] = []) =>
  readIndex({ env, moreHosts, readFile: (path) => ({ ...files, ...given })[path] ?? null });

describe("the package index", () => {
  test("is PyPI where nothing is set, with the host of its files", () => {
    const { hosts, paths, env } = read({});
    expect(hosts).toEqual(["pypi.org:443", "files.pythonhosted.org:443"]);
    expect(paths).toEqual([]);
    expect(env).toMatchObject({ PIP_INDEX_URL: "https://pypi.org/simple", PIP_CONFIG_FILE: "/dev/null" });
  });

  test("is what PIP_ variables say, over the user's pip.conf, over the machine's; PACKAGE_HOSTS come on top", () => {
    const given = {
      "/etc/pip.conf": "[global]\nindex-url = https://machine.example/simple\ntimeout = 9\n[freeze]\ntimeout = 10\n",
      "/home/ada/.config/pip/pip.conf":
        "[install]\nextra-index-url =\n  https://one.example:8443/simple\n  # a comment\n  https://two.example/simple\n[global]\nextra_index_url = https://lost.example/\n",
    };
    const { hosts, env } = read({ HOME: "/home/ada", PIP_INDEX_URL: "http://own.example/simple" }, given, [
      "cdn.example",
    ]);
    expect(hosts).toEqual(["own.example:80", "one.example:8443", "two.example:443", "cdn.example"]);
    expect(env).toMatchObject({ PIP_TIMEOUT: "9", PIP_INDEX_URL: "http://own.example/simple" });
    expect(read({ PIP_CONFIG_FILE: "/dev/null" }, given).hosts).toContain("pypi.org:443");
    expect(read({ UV_INDEX_URL: "https://uv.example/simple" }).hosts).toEqual(["uv.example:443"]);
  });

  test("may be on this machine: its folders are shown to the install, and no host is reached", () => {
    const given = { PIP_INDEX_URL: "file:///srv/mirror/simple/", PIP_FIND_LINKS: "/srv/wheels file:///srv/more" };
    const { hosts, paths } = read(given, {}, ["cdn.example"]);
    expect(hosts).toEqual([]);
    expect(paths).toEqual(["/srv/wheels", "/srv/mirror", "/srv/more"]);
    const none = read({ PIP_NO_INDEX: "true", PIP_FIND_LINKS: "/srv/wheels", PIP_CERT: "/etc/ca.pem" });
    expect([none.hosts, none.paths]).toEqual([[], ["/srv/wheels", "/etc/ca.pem"]]);
  });

  test("has its passwords and tokens named, encoded and decoded, and told apart from what identifies it", () => {
    const { secrets, identity } = read({
      PIP_INDEX_URL: "https://robot:p%40ssword@own.example/simple",
      PIP_EXTRA_INDEX_URL: "https://t0ken-of-some-length@two.example/simple",
    });
    expect(secrets).toEqual(expect.arrayContaining(["p%40ssword", "p@ssword", "t0ken-of-some-length"]));
    expect(identity).not.toMatch(/ssword|t0ken/);
    expect(identity).not.toBe(read({ PIP_INDEX_URL: "https://own.example/simple" }).identity);
  });

  test("is all that the install learns of the worker's variables", () => {
    const { env } = read({ PIP_TARGET: "/etc", PIP_USER: "1", PIP_LOG: "/x", PIP_PRE: "1", HOME: "/home/ada" });
    expect(Object.keys(env).toSorted()).toEqual(["PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_PRE", "PIP_RETRIES"]);
  });
});
