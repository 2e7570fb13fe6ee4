// Makes Node's own clients (`fetch`, node:http, node:https) use the proxy that HTTP_PROXY names. Node before 22.21 has no
// setting for it; later ones read NODE_USE_ENV_PROXY, which the sandbox sets.

/** Loaded only where there is a proxy: most processes have none, and start faster without. */
const builtin = (name) => process.getBuiltinModule(`node:${name}`);

/** Whose entry in the proxy's list of exceptions it is: a name stands for those below it as well. */
function isDirect(host) {
  const exceptions = (process.env.no_proxy ?? "").split(",").map((one) => one.trim());
  return exceptions.some((one) => one === "*" || (one !== "" && (host === one || host.endsWith(`.${one}`))));
}

/** A connection to a host and port through the proxy, or why there is none, to `done`. */
function openTunnel(proxy, { host, port }, done) {
  if (isDirect(host)) {
    const socket = builtin("net").connect({ host, port }, () => done(null, socket));
    return socket.once("error", done);
  }
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const asked = builtin("http").request({
    host: proxy.hostname,
    port: proxy.port,
    method: "CONNECT",
    path: place,
    agent: false,
  });
  asked.once("connect", ({ statusCode, statusMessage }, socket) => {
    if (statusCode === 200) return done(null, socket);
    socket.destroy();
    done(new Error(`The proxy refused ${place}: ${statusMessage}`));
  });
  return asked.once("error", done).end();
}

function secured(options, done) {
  return (error, socket) => {
    if (error) return done(error);
    const secure = builtin("tls").connect({ ...options, path: undefined, socket }, () => done(null, secure));
    return secure.once("error", done);
  };
}

/** Before the agent's code is loaded. */
export function useProxy() {
  const named = process.env.HTTP_PROXY;
  if (!named || process.allowedNodeEnvironmentFlags.has("--use-env-proxy")) return;
  const proxy = new URL(named);
  builtin("http").globalAgent.createConnection = (options, done) => void openTunnel(proxy, options, done);
  builtin("https").globalAgent.createConnection = (options, done) =>
    void openTunnel(proxy, options, secured(options, done));
  const connect = ({ hostname, protocol, port, ...options }, done) => {
    const isSecure = protocol === "https:";
    const target = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (isSecure ? 443 : 80) };
    const secureOptions = { ...options, ...target, ALPNProtocols: ["http/1.1"] };
    openTunnel(proxy, target, isSecure ? secured(secureOptions, done) : done);
  };
  // `fetch` is loaded when it is used first; only then there is the dispatcher whose kind takes our way to connect.
  const { fetch } = globalThis;
  let isSet = false;
  globalThis.fetch = (...args) => {
    if (!isSet && globalThis.Request) {
      const dispatcher = Symbol.for("undici.globalDispatcher.1");
      globalThis[dispatcher] = new globalThis[dispatcher].constructor({ connect });
      isSet = true;
    }
    return fetch(...args);
  };
}
