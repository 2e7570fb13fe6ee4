import { join } from "node:path";

/** An environment's folder is named by its key. All other names in ENVIRONMENTS_DIR begin with an owner tag. */
export const keyPattern = /^[0-9a-f]{32}$/;

/** The parts of an environment's folder. */
export const partsOf = (place: string) => ({
  /** The installed packages. */
  packages: join(place, "packages"),
  /** What was installed, and the bytes that it takes. */
  about: join(place, "about.json"),
  /** A file whose modification time is that of the last use. */
  used: join(place, "used"),
  /** One file for each worker whose sandboxes show the packages. */
  leases: join(place, "leases"),
});
