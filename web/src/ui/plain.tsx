/** Buttons and fields without Mantine, for what must be light: the top bar, login, and errors that stand in for a page. */
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import styles from "./plain.module.css";

type Look = "outline" | "filled" | "ghost";

/** Class and data attributes that make any element look like a button; for links: `<Link {...buttonLook("filled")}>`. */
export const buttonLook = (look: Look = "outline", isLarge = false) => ({
  className: styles.button ?? "",
  "data-look": look,
  "data-is-large": isLarge || undefined,
});

/** While `isBusy` it shows a spinner, keeps its width and its focus, and cannot be pressed. */
export function PlainButton({
  look = "outline",
  isLarge = false,
  isBusy = false,
  children,
  ...rest
}: ComponentProps<"button"> & { look?: Look; isLarge?: boolean; isBusy?: boolean }) {
  return (
    <button type="button" {...rest} {...buttonLook(look, isLarge)} aria-busy={isBusy}>
      {isBusy && <span className={styles.spinner} aria-hidden />}
      {children}
    </button>
  );
}

export const IconButton = ({ label, children, ...rest }: ComponentProps<"button"> & { label: string }) => (
  <button type="button" className={styles.iconButton} aria-label={label} title={label} {...rest}>
    {children}
  </button>
);

/** A labelled text field; `side` stands inside its right end. */
export function PlainField({ label, side, ...rest }: ComponentProps<"input"> & { label: string; side?: ReactNode }) {
  const id = useId();
  return (
    <div>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box}>
        <input id={id} className={styles.input} data-has-side={side === undefined ? undefined : true} {...rest} />
        {side && <span className={styles.side}>{side}</span>}
      </div>
    </div>
  );
}

/** A password with the eye that shows it. */
export function PlainPassword({
  toggleLabel,
  ...rest
}: ComponentProps<"input"> & { label: string; toggleLabel: string }) {
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? IconEyeOff : IconEye;
  return (
    <PlainField
      {...rest}
      type={isShown ? "text" : "password"}
      side={
        <IconButton label={toggleLabel} aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          <Icon size={15} stroke={1.5} />
        </IconButton>
      }
    />
  );
}
