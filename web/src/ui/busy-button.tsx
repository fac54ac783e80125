/** A button whose work takes a while: until it is done it keeps its looks, its width and the focus, turns a spinner, and cannot be pressed. */
import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import styles from "./busy-button.module.css";
import { Spinner } from "./plain.tsx";

interface BusyButtonProps extends Omit<ButtonProps, "loading"> {
  isBusy: boolean;
  type?: ComponentProps<"button">["type"];
  onClick?: (() => void) | undefined;
  "data-tone"?: "danger" | undefined;
  "data-autofocus"?: boolean;
  "aria-label"?: string;
}

/** Where an icon stands the spinner takes its place, else it comes in before the word. */
function iconOf(icon: ReactNode, isBusy: boolean): ReactNode {
  if (!icon || !isBusy) return icon;
  return (
    <span className={styles.icon}>
      <span className={styles.hidden}>{icon}</span>
      <Spinner />
    </span>
  );
}

/**
 * Mantine's own `loading` disables the button, which hides the word and throws the focus away.
 * @example <BusyButton type="submit" variant="filled" isBusy={save.isPending}>{t("save")}</BusyButton>
 */
export function BusyButton({ isBusy, leftSection, onClick, children, className, ...rest }: BusyButtonProps) {
  const ownClass = isBusy && !leftSection ? (styles.shifted ?? "") : "";
  return (
    <Button
      {...rest}
      className={`${ownClass} ${typeof className === "string" ? className : ""}`}
      leftSection={iconOf(leftSection, isBusy)}
      aria-busy={isBusy}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        // A submit button that is busy does not send its form once more.
        if (isBusy) event.preventDefault();
        else onClick?.();
      }}
    >
      {isBusy && !leftSection && <Spinner />}
      {children}
    </Button>
  );
}
