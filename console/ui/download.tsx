import { useMutation } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { client } from "../data/client.ts";
import { isShared } from "../data/shared-link.ts";
import { Icon } from "./icon.tsx";

/** `path`: of the service. `file`: what the file is called on this machine. `text`: what is read; left out: `file`. */
type Props = { path: string; file: string; text?: string; className: string };

/**
 * Saves an answer of the service as a file. A plain link saves it while it comes. A link can send neither the token of a shared
 * run nor, over plain http to another machine, what makes the session's cookie count: there the page reads the answer first.
 */
export const Download = (props: Props): ReactElement => {
  const { path, file, className } = props;
  if (isShared || !isSecureContext) return <ReadFirst {...props} />;
  return (
    <a href={path} download={file} className={className}>
      <Name {...props} />
    </a>
  );
};

const Name = ({ file, text = file }: Props): ReactElement => (
  <>
    <Icon name="download" size={13} />
    {text}
  </>
);

function ReadFirst(props: Props): ReactElement {
  const { path, file, className } = props;
  const load = useMutation({
    mutationFn: async () => {
      const answer = await client.request("GET", path);
      const url = URL.createObjectURL(await answer.blob());
      const link = document.createElement("a");
      link.href = url;
      link.download = file;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    },
  });
  return (
    <>
      <button type="button" className={className} onClick={() => load.mutate()} disabled={load.isPending}>
        <Name {...props} />
      </button>
      {load.error && (
        <span role="alert" className="bad">
          {" "}
          {load.error.message}
        </span>
      )}
    </>
  );
}
