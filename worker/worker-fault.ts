/**
 * What this worker can't do for now, such as install packages for which it has no room, through no fault of the version's: another
 * worker may, or this one later. `message` is a sentence for the version's author.
 */
export class WorkerFault extends Error {
  override name = "WorkerFault";
}
