import { allowsImage } from "../../../shared/domain/agent/image-rule.ts";
import type { ContainerEngine } from "../../sandbox/container-engine.ts";
import type { Adapter } from "../adapter.ts";
import { readCommand, refuse, toStdin } from "../read-command.ts";

/** Variables that the engine's own client reads. The run's variables must not be among them: they go through its environment. */
const engineVariable =
  /^(DOCKER_|CONTAINERS?_|PODMAN_|BUILDAH_|STORAGE_|REGISTRY_|SSH_|XDG_|HOME$|TMPDIR$|HTTPS?_PROXY$|NO_PROXY$)/i;

/** `images`: the entries of CONTAINER_IMAGES, which are allowed to run. */
export type Containers = { engine: ContainerEngine; images: readonly string[] };

/**
 * Runs an OCI image that the operator allows and the engine has already. Each run has a container of its own, without a
 * network. The request, with the run's files, is JSON on stdin; stdout and stderr are read as a command's.
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
