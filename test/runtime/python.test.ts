import { join } from "node:path";
import { reportUnittests } from "../harness/unittest.ts";

/** The unit tests of runtime/python. */
await reportUnittests(join(import.meta.dirname, "python"), [join(import.meta.dirname, "../../runtime/python")]);
