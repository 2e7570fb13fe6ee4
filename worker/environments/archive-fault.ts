/** Why an archive was refused. The message is part of a sentence. */
export class ArchiveFault extends Error {
  override name = "ArchiveFault";
  readonly code:
    | "truncated"
    | "header"
    | "checksum"
    | "kind"
    | "mode"
    | "name"
    | "duplicate"
    | "parent"
    | "limit"
    | "bytes"
    | "padding"
    | "trailing";

  constructor(code: ArchiveFault["code"], message: string) {
    super(message);
    this.code = code;
  }
}
