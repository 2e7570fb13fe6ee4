/** What a command ends with, beside 0. 124 and 130 are those of `timeout` and of a shell's Ctrl-C. */
export const exitCodes = {
  run_error: 1,
  usage: 2,
  no_right: 3,
  not_found: 4,
  conflict: 5,
  unreachable: 6,
  cancelled: 7,
  interrupted: 8,
  timeout: 124,
  detached: 130,
} as const;

export type ExitName = keyof typeof exitCodes;

/** An expected end of a command: what to tell, and its exit code. */
export class Fault extends Error {
  override name = "Fault";
  readonly exit: ExitName;
  constructor(exit: ExitName, message: string) {
    super(message);
    this.exit = exit;
  }
}
