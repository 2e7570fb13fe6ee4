import { allowsImage } from "../../../shared/domain/agent/image-rule.ts";
import type { ContainerEngine } from "../../sandbox/container-engine.ts";
import type { Adapter } from "../adapter.ts";
import { readCommand, refuse, toStdin } from "../read-command.ts";

/** What the engine's own client reads; the run's variables pass through its environment. */
const engineVariable =
  /^(DOCKER_|CONTAINERS?_|PODMAN_|BUILDAH_|STORAGE_|REGISTRY_|SSH_|XDG_|HOME$|TMPDIR$|HTTPS?_PROXY$|NO_PROXY$)/i;

/** Whose images may run: entries of CONTAINER_IMAGES. */
export type Containers = { engine: ContainerEngine; images: readonly string[] };

/**
 * Runs an OCI image that the operator allows and the engine has, each run in a container of its own without a network: the request (with the run's files) is JSON on
 * its stdin, stdout and stderr are read as a command's.
 */
export function createContainerAdapter({ engine, images }: Containers): Adapter {
  return {
    async *run(request, signal) {
      const { image, command, env, resources, code, files } = request;
      if (image === null) return yield* refuse("no_entrypoint", "The agent's config names no `image`.");
      if (!allowsImage(images, image))
        return yield* refuse(
          "bad_entrypoint",
          `The image '${image}' may not run here: CONTAINER_IMAGES does not list it.`,
        );
      const odd = Object.keys(env).find((name) => engineVariable.test(name));
      if (odd !== undefined)
        return yield* refuse("bad_entrypoint", `A container can't be given the variable '${odd}'.`);
      const stdin = JSON.stringify({ ...toStdin(request), files: { ...code, ...files } });
      yield* readCommand(engine.start({ image, command: command ?? [], env, resources, stdin }), request, signal);
    },
  };
}
