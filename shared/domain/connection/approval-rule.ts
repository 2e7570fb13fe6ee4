import { plainPath, spellings } from "./path-spellings.ts";

/** Which calls a person is asked about. What a rule doesn't name, it takes as it comes; `*` stands for any characters. */
export type ApprovalRule = { method?: string | undefined; host?: string | undefined; path?: string | undefined };

/** A call before it leaves: its method, or methods where it names more than one, and its address. */
type OutgoingCall = { methods: readonly string[]; url: URL };

/** Returns true when a person is to be asked about a call. */
export const needsApproval = (rules: readonly ApprovalRule[], { methods, url }: OutgoingCall): boolean =>
  rules.some(
    ({ method, host, path }) =>
      (method === undefined || methods.some((one) => one.toUpperCase() === method.toUpperCase())) &&
      (host === undefined || isHost(host.toLowerCase(), url)) &&
      (path === undefined || isPath(path, url.pathname)),
  );

/** The rule may be spelled in more than one way, too. */
function isPath(pattern: string, path: string): boolean {
  const patterns = spellings(pattern);
  return spellings(path).some((one) => patterns.some((pattern) => fits(pattern, one)));
}

/** Without a port a rule means the host at any. */
function isHost(pattern: string, { hostname, host, protocol }: URL): boolean {
  const [name = "", port] = pattern.split(":");
  if (port !== undefined && port !== (host.split(":")[1] ?? (protocol === "https:" ? "443" : "80"))) return false;
  const asked = hostname.toLowerCase().replace(/\.$/, "");
  if (name === "*") return true;
  return name.startsWith("*.") ? asked.endsWith(name.slice(1)) : asked === name;
}

/** Linear in both: patterns come from authors, paths from agents. */
function fits(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first || text === plainPath(first);
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= text.length - last.length;
}
