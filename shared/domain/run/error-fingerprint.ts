/** What of a failed run tells its error apart from others. */
export type ErrorTraits = {
  agent_id: string;
  code: string;
  type: string | null;
  message: string;
  traceback: string | null;
};

/** Errors that are alike give the same text: of the same agent, code and type, at the same place, and saying the same. */
export const traitsOf = ({ agent_id, code, type, message, traceback }: ErrorTraits): string =>
  JSON.stringify([agent_id, code, type, patternOf(message), frameOf(traceback)]);

const readAtMost = 1_000;
const isoTime = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g;
const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
/** Words of letters and digits that no language has, such as ids and hashes. */
const id = /\b(?=[a-z_-]*\d)(?=\w*[a-z])\w{12,}\b/gi;
const number = /\d+(?:[.,]\d+)*/g;

/** Returns a message without what differs from run to run: its first line, in which times, ids and numbers are the same. */
export const patternOf = (message: string): string =>
  (message.slice(0, readAtMost).trim().split("\n")[0] ?? "")
    .replace(isoTime, "#")
    .replace(uuid, "#")
    .replace(id, "#")
    .replace(number, "#")
    .trim();

const pythonFrame = /^ *File "([^"\n]{1,300})", line \d+, in (.{1,200})$/gm;
const nodeFrame = /^ +at (?:(.{1,200}?) \()?(?:file:\/\/)?([^\s()]{1,300}?):\d+:\d+\)?$/m;

/** Returns the file and function in which an error was raised; null: no traceback says it. Lines move from version to version. */
export function frameOf(traceback: string | null): string | null {
  if (traceback === null) return null;
  const last = [...traceback.matchAll(pythonFrame)].at(-1);
  if (last) return `${last[1]} in ${last[2]}`;
  const first = nodeFrame.exec(traceback);
  return first && (first[1] === undefined ? (first[2] ?? null) : `${first[2]} in ${first[1]}`);
}
