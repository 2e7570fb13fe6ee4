/** Requests that a program in a sandbox may send its gateway, as bytes (Latin-1). `at`: host and port of a target that it may reach. */
export function oddRequests(at: string): Odd[] {
  const say: Say = {
    at,
    get: (fields, path = "/") => `GET http://${at}${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`,
    post: (fields, body = "") => `POST http://${at}/ HTTP/1.1\r\nHost: x\r\n${fields}\r\n${body}`,
    connect: (authority, rest = "") => `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n${rest}`,
  };
  return [...oddFields(say), ...oddHeads(say), ...oddTargets(say)];
}

type Odd = [name: string, request: string];
type Say = {
  at: string;
  get: (fields: string, path?: string) => string;
  post: (fields: string, body?: string) => string;
  connect: (authority: string, rest?: string) => string;
};

function oddFields({ at, get, post }: Say): Odd[] {
  return [
    ["Trailer", get("Trailer: X\r\n")],
    ["Trailer with chunks", post("Trailer: X\r\nTransfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\nX: 1\r\n\r\n")],
    [
      "trailers that weren't announced",
      post("Transfer-Encoding: chunked\r\n", "0\r\nContent-Length: 5\r\nHost: y\r\n\r\n"),
    ],
    ["Connection names Host", get("Connection: host\r\n")],
    ["Connection names Content-Length", post("Connection: content-length\r\nContent-Length: 3\r\n", "abc")],
    ["Connection names fields of ours", get("Connection: X-A, ,x-b,,\t\r\nX-A: 1\r\nX-B: 2\r\n")],
    ["Connection twice", get("Connection: close\r\nConnection: keep-alive, X\r\n")],
    ["TE", get("TE: trailers, deflate;q=0.5\r\n")],
    ["Transfer-Encoding gzip", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")],
    ["Transfer-Encoding identity", post("Transfer-Encoding: identity\r\n", "abc")],
    ["Transfer-Encoding and Content-Length", post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n")],
    ["Transfer-Encoding with odd blanks", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n")],
    ["two lengths", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abc")],
    ["a length below zero", post("Content-Length: -1\r\n")],
    ["a length beyond numbers", post("Content-Length: 99999999999999999999999\r\n", "abc")],
    ["a length that isn't kept", post("Content-Length: 10\r\n", "abc")],
    ["a chunk of a huge size", post("Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFF\r\nabc")],
    ["a chunk of no size", post("Transfer-Encoding: chunked\r\n", "xyz\r\nabc")],
    ["chunk extensions", post("Transfer-Encoding: chunked\r\n", '1;a=b;c="d\\"e"\r\nx\r\n0;z\r\n\r\n')],
    ["endless chunk extensions", post("Transfer-Encoding: chunked\r\n", `1;${"a".repeat(100_000)}`)],
    ["Upgrade to WebSocket", get("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n")],
    ["Upgrade to h2c", get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n")],
    ["Upgrade with CONNECT", `CONNECT ${at} HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n`],
    ["Expect 100-continue", post("Expect: 100-continue\r\nContent-Length: 2\r\n", "ab")],
    ["Expect something else", post("Expect: 200-maybe\r\nContent-Length: 2\r\n", "ab")],
    ["Proxy-Authorization", get("Proxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nProxy-X: 1\r\n")],
  ];
}

function oddHeads({ at, get }: Say): Odd[] {
  return [
    ["HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["HTTP/0.9", "GET /\r\n"],
    ["HTTP/1.0", `GET http://${at}/ HTTP/1.0\r\n\r\n`],
    ["HTTP/9.9", `GET http://${at}/ HTTP/9.9\r\nHost: x\r\n\r\n`],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["SOCKS5", "\x05\x01\x00"],
    ["nothing but line ends", "\r\n".repeat(10_000)],
    ["zeros", "\0".repeat(70_000)],
    ["a head without an end", `GET http://${at}/ HTTP/1.1\r\nHost: x\r\nX: `],
    ["a head that is too long", get(`X: ${"x".repeat(64 * 1024)}\r\n`)],
    ["too many fields", get("X: 1\r\n".repeat(3_000))],
    ["a URL that is too long", get("", `/${"u".repeat(20_000)}`)],
    ["a name that is none", get("X Y: 1\r\n")],
    ["an empty name", get(": 1\r\n")],
    ["a value of bytes above 127", get("X: \xff\xfe\x80\r\n")],
    ["a value with a control character", get("X: a\x01b\r\n")],
    ["a folded value", get("X: a\r\n b\r\n")],
    ["bare line feeds", `GET http://${at}/ HTTP/1.1\nHost: x\n\n`],
    ["a bare carriage return", get("X: a\rY: b\r\n")],
    ["no Host", `GET http://${at}/ HTTP/1.1\r\n\r\n`],
    ["two Hosts", get("Host: y\r\n")],
    ["a method of its own", `BREW http://${at}/ HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["a long method", `${"M".repeat(9_000)} http://${at}/ HTTP/1.1\r\nHost: x\r\n\r\n`],
  ];
}

function oddTargets({ at, get, connect }: Say): Odd[] {
  return [
    ["HEAD with a body", `HEAD http://${at}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`],
    ["GET with chunks", get("Transfer-Encoding: chunked\r\n").replace(/$/, "1\r\na\r\n0\r\n\r\n")],
    ["DELETE with a length", `DELETE http://${at}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na`],
    ["TRACE", `TRACE http://${at}/ HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n`],
    ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a path alone", "GET /etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["https in the clear", `GET https://${at}/ HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["a URL of another kind", "GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a URL with a user", `GET http://a:b@${at}/ HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["a URL with bytes above 127", `GET http://${at}/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["a URL with broken escapes", get("", "/%zz%")],
    ["a port that is none", "GET http://localhost:99999/ HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["port 0", "GET http://localhost:0/ HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a host that is none", "GET http://[::zz]/ HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["no host in the URL", "GET http:/// HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["CONNECT to nothing", connect("")],
    ["CONNECT to a name alone", connect("localhost")],
    ["CONNECT to a URL", connect(`http://${at}/`)],
    ["CONNECT to a port beyond ports", connect("localhost:70000")],
    ["CONNECT to a path", connect("localhost:80/x?y#z")],
    ["CONNECT to a user", connect(`a:b@${at}`)],
    ["CONNECT with a line's end in it", connect("a%0d%0aX:1")],
    ["CONNECT to brackets", connect("[]:80")],
    ["CONNECT to an address with a zone", connect("[fe80::1%25lo]:80")],
    ["CONNECT to a long name", connect(`${"a".repeat(5_000)}:80`)],
    ["CONNECT with what isn't HTTP behind it", connect(at, "\0\xff\r\n\r\n")],
    ["CONNECT behind a request", get("") + connect(at)],
    ["CONNECT with a body", `CONNECT ${at} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde`],
    ["two requests at once", get("") + get("")],
    ["a thousand requests at once", get("").repeat(1_000)],
    ["a request behind what is none", `junk\r\n\r\n${get("")}`],
    ["a body behind a request that has none", `${get("")}\0\0\0\0`],
  ];
}
