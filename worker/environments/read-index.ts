import { dirname, isAbsolute, join, basename } from "node:path";
import { fileURLToPath } from "node:url";

/** Where packages come from, and what an install needs to get them. */
export type Index = {
  /** pip's settings, as environment variables. */
  env: Record<string, string>;
  /** What an install may reach, as `host:port` or host patterns; empty where all packages are on this machine. */
  hosts: string[];
  /** Files and folders of this machine that pip reads. */
  paths: string[];
  /** Variables of the deployment's own proxy, for a sandbox that has the machine's network. */
  proxy: Record<string, string>;
  /** Parts of URLs that must not be shown or logged. */
  secrets: string[];
  /** Differs for indexes that may give other packages for the same requirements. Holds no secrets. */
  identity: string;
};

type IndexSources = {
  /** The worker's PIP_ and UV_ variables, HOME, SSL_CERT_FILE, and those of its proxy. */
  env: Record<string, string>;
  /** Other hosts that the index's files are on. */
  moreHosts: readonly string[];
  /** Returns null for a missing file. */
  readFile: (path: string) => string | null;
};

const pypi = "https://pypi.org/simple";
/** Where PyPI's pages link to for the files. */
const pypiFiles = "files.pythonhosted.org:443";
const urlSettings = ["index-url", "extra-index-url", "find-links"] as const;
const pathSettings = ["cert", "client-cert", "constraint"] as const;
const plainSettings = ["no-index", "trusted-host", "timeout", "default-timeout", "retries", "pre", "prefer-binary"];
const knownSettings = new Set<string>([...urlSettings, ...pathSettings, ...plainSettings]);

/**
 * Reads the deployment's index as pip would: pip.conf of the machine and of the user, PIP_CONFIG_FILE, and PIP_ variables.
 * Each overrides the one before (https://pip.pypa.io/en/stable/topics/configuration/). UV_DEFAULT_INDEX and UV_INDEX_URL
 * count where pip has no index. The default is PyPI. An install gets these settings and no others.
 */
export function readIndex({ env, moreHosts, readFile }: IndexSources): Index {
  const settings = readSettings(env, readFile);
  const index = settings.get("index-url") ?? env["UV_DEFAULT_INDEX"] ?? env["UV_INDEX_URL"] ?? pypi;
  settings.set("index-url", index);
  if (!settings.has("retries")) settings.set("retries", "2");
  const isOffline = /^(1|true|yes|on)$/i.test(settings.get("no-index") ?? "");
  const used = isOffline ? (["find-links"] as const) : urlSettings;
  const sources = used.flatMap((name) => words(settings.get(name)));
  const urls = sources.flatMap((source) => (URL.canParse(source) ? [new URL(source)] : []));
  const remote = urls.filter(({ protocol }) => protocol === "https:" || protocol === "http:");
  const certificate = env["SSL_CERT_FILE"];
  const proxy = Object.fromEntries(Object.entries(env).filter(([name]) => /_proxy$/i.test(name)));
  const proxies = Object.values(proxy).flatMap((text) => (URL.canParse(text) ? [new URL(text)] : []));
  return {
    env: {
      ...Object.fromEntries([...settings].map(([name, value]) => [variableOf(name), value])),
      ...(certificate === undefined ? {} : { SSL_CERT_FILE: certificate }),
      PIP_CONFIG_FILE: "/dev/null",
    },
    hosts: remote.length === 0 ? [] : [...new Set([...remote.flatMap(hostsOf), ...moreHosts])],
    paths: [
      ...new Set([
        ...sources.filter((source) => isAbsolute(source)),
        ...urls.flatMap(localFolder),
        ...pathSettings.flatMap((name) => settings.get(name) ?? []),
        ...(certificate === undefined ? [] : [certificate]),
      ]),
    ],
    proxy,
    secrets: [...new Set([...urls, ...proxies].flatMap(secretsOf))],
    identity: JSON.stringify([isOffline, sources.map(withoutSecrets), settings.get("constraint"), settings.get("pre")]),
  };
}

const variableOf = (setting: string): string => `PIP_${setting.toUpperCase().replaceAll("-", "_")}`;
const words = (value: string | undefined): string[] => (value ?? "").split(/\s+/).filter(Boolean);

function readSettings(env: Record<string, string>, readFile: IndexSources["readFile"]): Map<string, string> {
  const { HOME, PIP_CONFIG_FILE } = env;
  const ofUser = HOME ? [join(HOME, ".pip/pip.conf"), join(HOME, ".config/pip/pip.conf")] : [];
  // pip reads no file at all when this is the null device.
  const files = PIP_CONFIG_FILE === "/dev/null" ? [] : ["/etc/pip.conf", ...ofUser, ...words(PIP_CONFIG_FILE)];
  const given = Object.keys(env).flatMap((name): [string, string][] => {
    const setting = name.startsWith("PIP_") ? name.slice(4).toLowerCase().replaceAll("_", "-") : "";
    return [[setting, env[name] ?? ""]];
  });
  const all = [...files.flatMap((path) => parseConfig(readFile(path) ?? "")), ...given];
  return new Map(all.filter(([name, value]) => knownSettings.has(name) && value !== ""));
}

/** Reads the sections `global` and `install` of an INI file. `install` comes last, as it overrides `global`. */
function parseConfig(text: string): [string, string][] {
  const found: Record<string, [string, string][]> = { global: [], install: [] };
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\[([^\]]*)\]/.exec(line);
    const [, name, value = ""] = /^([A-Za-z][A-Za-z_-]*)\s*[=:](.*)$/.exec(line) ?? [];
    const last = found[section]?.at(-1);
    if (header) section = (header[1] ?? "").trim();
    else if (name) found[section]?.push([name.toLowerCase().replaceAll("_", "-"), value.trim()]);
    // A line that begins with a blank continues the value.
    else if (last && /^\s+[^\s#;]/.test(line)) last[1] = `${last[1]} ${line.trim()}`.trim();
  }
  return ["global", "install"].flatMap((name) => found[name] ?? []);
}

function hostsOf({ protocol, hostname, port }: URL): string[] {
  const usual = protocol === "https:" ? "443" : "80";
  return [`${hostname}:${port || usual}`, ...(hostname === "pypi.org" ? [pypiFiles] : [])];
}

/** A mirror on disk has its files beside the folder `simple`, whose pages link to them. */
function localFolder(url: URL): string[] {
  if (url.protocol !== "file:" || url.host !== "") return [];
  const path = fileURLToPath(url).replace(/(.)\/+$/, "$1");
  const above = dirname(path);
  return [basename(path) === "simple" && above !== "/" ? above : path];
}

function secretsOf({ username, password }: URL): string[] {
  if (username === "" && password === "") return [];
  // A token may be given as the user name.
  const parts = password === "" ? [username] : [password, `${username}:${password}`];
  return parts.flatMap((part) => [part, decode(part)]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutSecrets(source: string): string {
  if (!URL.canParse(source)) return source;
  const url = new URL(source);
  url.username = "";
  url.password = "";
  return url.href;
}
