/** What can be killed, and says when it has ended. */
type Ending = { kill(): void; exited: Promise<unknown> };

/** `isGone`: whether it was killed or has ended. A kill may come just after its last answers: they then speak of a process that dies. */
export function watchEnd(child: Ending): Ending & { kill: () => void; isGone: () => boolean } {
  let gone = false;
  void child.exited.then(() => (gone = true));
  return {
    exited: child.exited,
    isGone: () => gone,
    kill() {
      gone = true;
      child.kill();
    },
  };
}
