import type { ReactElement, ReactNode } from "react";
import { Button } from "./button.tsx";
import styles from "./ask-dialog.module.css";
import { Copy } from "./copy.tsx";
import { Dialog, DialogButtons } from "./dialog.tsx";

type Props = {
  title: string;
  /** What the button does, in a word or two. */
  act: string;
  look?: "primary" | "danger";
  error: Error | null;
  isPending: boolean;
  onSubmit: () => void;
  onClose: () => void;
  /** Labels with their fields. */
  children: ReactNode;
};

/** Asks for what an act needs, or whether it is meant. */
export const AskDialog = ({
  title,
  act,
  look = "primary",
  error,
  isPending,
  onSubmit,
  onClose,
  children,
}: Props): ReactElement => (
  <Dialog title={title} onClose={onClose}>
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error && (
        <p role="alert" className="bad">
          {error.message}
        </p>
      )}
      <DialogButtons>
        <Button onClick={onClose}>Leave it</Button>
        <Button type="submit" look={look} disabled={isPending}>
          {act}
        </Button>
      </DialogButtons>
    </form>
  </Dialog>
);

type ShownOnceProps = { title: string; secret: string; children: ReactNode; onClose: () => void };

/** Shows a secret, which the service doesn't show again. */
export const ShownOnce = ({ title, secret, children, onClose }: ShownOnceProps): ReactElement => (
  <Dialog title={title} onClose={onClose}>
    <div className={styles.form}>
      <p className="dim">{children} It is not shown again.</p>
      <div className={styles.secret}>
        <code>{secret}</code>
        <Copy text={secret} label="Copy it" />
      </div>
      <DialogButtons>
        <Button look="primary" onClick={onClose}>
          I have it
        </Button>
      </DialogButtons>
    </div>
  </Dialog>
);
