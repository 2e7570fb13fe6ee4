// Makes Node's own clients (`fetch`, node:http, node:https) use the proxy that HTTP_PROXY names. Node before 22.21 has no
// setting for it, and later versions don't tell what the proxy has refused: `fetch` says "Request was cancelled.".

/** @typedef {(error: Error | null, socket?: import("node:net").Socket) => void} Done */
/** @typedef {{ host: string, port: number }} Target */

// Loaded only where there is a proxy: most processes have none, and start faster without them.
const loadHttp = () => process.getBuiltinModule("node:http");
const loadHttps = () => process.getBuiltinModule("node:https");
const loadNet = () => process.getBuiltinModule("node:net");
const loadTls = () => process.getBuiltinModule("node:tls");

/**
 * True when `no_proxy` names the host, a domain above it, or `*`.
 * @param {string} host
 */
function isDirect(host) {
  const exceptions = (process.env.no_proxy ?? "").split(",").map((exception) => exception.trim());
  return exceptions.some(
    (exception) => exception === "*" || (exception !== "" && (host === exception || host.endsWith(`.${exception}`))),
  );
}

/**
 * Opens a connection to a host and port, through the proxy unless the host is an exception.
 * @param {URL} proxy
 * @param {Target} target
 * @param {Done} done
 */
function openTunnel(proxy, { host, port }, done) {
  if (isDirect(host)) {
    const socket = loadNet().connect({ host, port }, () => done(null, socket));
    socket.once("error", done);
    return;
  }
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const request = loadHttp().request({
    host: proxy.hostname,
    port: proxy.port,
    method: "CONNECT",
    path: authority,
    agent: false,
  });
  request.once("connect", ({ statusCode, statusMessage }, socket) => {
    if (statusCode === 200) return done(null, socket);
    socket.destroy();
    return done(new Error(`The proxy refused ${authority}: ${statusMessage}`));
  });
  request.once("error", done).end();
}

/**
 * Returns a callback that starts TLS on the socket that it gets, and hands the secured socket to `done`.
 * @param {object} options
 * @param {Done} done
 * @returns {Done}
 */
function secureWith(options, done) {
  return (error, socket) => {
    if (error || !socket) return done(error);
    const secured = loadTls().connect({ ...options, socket }, () => done(null, secured));
    secured.once("error", done);
  };
}

/** Called before the agent's code is loaded. */
export function useProxy() {
  const address = process.env.HTTP_PROXY;
  if (!address) return;
  // For programs that the code starts.
  process.env.NODE_USE_ENV_PROXY = "1";
  const proxy = new URL(address);
  // Node's types don't have `createConnection` with a callback, which agents call.
  /** @type {any} */ (loadHttp().globalAgent).createConnection = (
    /** @type {Target} */ options,
    /** @type {Done} */ done,
  ) => openTunnel(proxy, options, done);
  /** @type {any} */ (loadHttps().globalAgent).createConnection = (
    /** @type {Target} */ options,
    /** @type {Done} */ done,
  ) => openTunnel(proxy, options, secureWith({ ...options, path: undefined }, done));

  /** @param {{ hostname: string, protocol: string, port: string }} origin @param {Done} done */
  const connect = ({ hostname, protocol, port, ...options }, done) => {
    const isSecure = protocol === "https:";
    const target = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (isSecure ? 443 : 80) };
    const secureOptions = { ...options, ...target, path: undefined, ALPNProtocols: ["http/1.1"] };
    openTunnel(proxy, target, isSecure ? secureWith(secureOptions, done) : done);
  };
  // Node loads the code of `fetch` at its first use. Before that there is no dispatcher whose class takes `connect`.
  const { fetch } = globalThis;
  let isSet = false;
  globalThis.fetch = (...args) => {
    if (!isSet && globalThis.Request) {
      const dispatcher = Symbol.for("undici.globalDispatcher.1");
      const globals = /** @type {any} */ (globalThis);
      globals[dispatcher] = new globals[dispatcher].constructor({ connect });
      isSet = true;
    }
    return fetch(...args);
  };
}
