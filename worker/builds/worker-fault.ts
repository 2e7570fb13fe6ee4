/**
 * A build that this worker can't make, through no fault of the version's: another worker may, or this one later. `message` is a
 * sentence for the version's author.
 */
export class WorkerFault extends Error {
  override name = "WorkerFault";
}
