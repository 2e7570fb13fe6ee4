import type { ContainerEngine } from "../../sandbox/container-engine.ts";
import type { Adapter } from "../adapter.ts";
import { readCommand, refuse, toStdin } from "../read-command.ts";

/** What the engine's own client heeds; the run's variables pass through its environment. */
const engineVariable =
  /^(DOCKER_|CONTAINERS?_|PODMAN_|BUILDAH_|STORAGE_|REGISTRY_|SSH_|XDG_|HOME$|TMPDIR$|HTTPS?_PROXY$|NO_PROXY$)/i;

/**
 * Runs an OCI image, each run in a container of its own without a network: the request (with the run's files) is JSON on
 * its stdin, stdout and stderr are read as a command's.
 */
export function createContainerAdapter(engine: ContainerEngine): Adapter {
  return {
    async *run(request, signal) {
      const { image, command, env, resources, code, files } = request;
      // An image's name can't begin like an option.
      if (image === null || !/^[A-Za-z0-9]/.test(image))
        return yield* refuse("no_entrypoint", "The agent's config names no `image`.");
      const odd = Object.keys(env).find((name) => engineVariable.test(name));
      if (odd !== undefined)
        return yield* refuse("bad_entrypoint", `A container can't be given the variable '${odd}'.`);
      const stdin = JSON.stringify({ ...toStdin(request), files: { ...code, ...files } });
      yield* readCommand(engine.start({ image, command: command ?? [], env, resources, stdin }), request, signal);
    },
  };
}
