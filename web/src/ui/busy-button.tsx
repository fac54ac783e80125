/** A button for work that takes a while. Until it is done, the button keeps its looks, width and focus, shows a spinner and cannot be pressed. */
import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentProps, ReactNode, Ref } from "react";
import styles from "./busy-button.module.css";
import { Spinner } from "./plain.tsx";

interface BusyButtonProps extends Omit<ButtonProps, "loading"> {
  ref?: Ref<HTMLButtonElement>;
  isBusy: boolean;
  type?: ComponentProps<"button">["type"];
  onClick?: (() => void) | undefined;
  "data-tone"?: "danger" | undefined;
  "data-autofocus"?: boolean;
  "aria-label"?: string;
}

/** The spinner replaces the icon; without an icon it appears before the label. */
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
 * Replaces Mantine's own `loading`, which disables the button and thereby hides its label and loses the focus.
 * @example <BusyButton type="submit" variant="filled" isBusy={save.isPending}>{t("save")}</BusyButton>
 */
export function BusyButton({
  isBusy,
  disabled: isDisabled = false,
  leftSection,
  onClick,
  children,
  className,
  ...rest
}: BusyButtonProps) {
  const ownClass = isBusy && !leftSection ? (styles.shifted ?? "") : "";
  return (
    <Button
      {...rest}
      className={`${ownClass} ${typeof className === "string" ? className : ""}`}
      leftSection={iconOf(leftSection, isBusy)}
      aria-busy={isBusy}
      // Not `disabled`: a button that its own press makes useless would lose the focus to the page, and its keys with it.
      aria-disabled={isBusy || isDisabled || undefined}
      {...(isDisabled ? { "data-disabled": true } : {})}
      onClick={(event) => {
        // A busy submit button must not submit its form again, nor one that is not to be pressed.
        if (isBusy || isDisabled) event.preventDefault();
        else onClick?.();
      }}
    >
      {isBusy && !leftSection && <Spinner />}
      {children}
    </Button>
  );
}
