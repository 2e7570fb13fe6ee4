import { join } from "node:path";

/** An environment's folder is named by its key. All other names in ENVIRONMENTS_DIR begin with an owner tag. */
export const keyPattern = /^[0-9a-f]{32}$/;

/** The parts of an environment's folder. */
export const partsOf = (folder: string) => ({
  /** The installed packages. */
  packages: join(folder, "packages"),
  /** What was installed, and the bytes that it takes. */
  about: join(folder, "about.json"),
  /** A file whose modification time is that of the last use. */
  used: join(folder, "used"),
  /** One file for each worker whose sandboxes show the packages. */
  leases: join(folder, "leases"),
});
