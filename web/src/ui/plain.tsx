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

/** The look of a name or number in a table that leads somewhere: `<Link {...QUIET_LINK}>`. */
export const QUIET_LINK = { className: styles.quietLink ?? "" };

/** Joins the classes that are set, so that a class passed in adds to the component's own. */
const joined = (...classes: (string | undefined)[]): string => classes.filter(Boolean).join(" ");

/** A spinner in the colour of the surrounding text. */
export const Spinner = () => <span className={styles.spinner} data-spinner aria-hidden />;

/** While `isBusy` it shows a spinner, keeps its width and its focus, and cannot be pressed. */
export function PlainButton({
  look = "outline",
  isLarge = false,
  isBusy = false,
  className,
  onClick,
  children,
  ...rest
}: ComponentProps<"button"> & { look?: Look; isLarge?: boolean; isBusy?: boolean }) {
  const { className: own, ...looks } = buttonLook(look, isLarge);
  return (
    <button
      type="button"
      {...rest}
      {...looks}
      className={joined(own, className)}
      aria-busy={isBusy}
      aria-disabled={isBusy || rest["aria-disabled"] || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  );
}

/** Props of a button in place of `disabled`, which would throw the focus to the page where its own press makes the button useless. */
export const unlessOff = (isOff: boolean, act: () => void) =>
  isOff ? ({ "aria-disabled": true, "data-disabled": true } as const) : { onClick: act };

export const IconButton = ({ label, className, children, ...rest }: ComponentProps<"button"> & { label: string }) => (
  <button type="button" aria-label={label} title={label} {...rest} className={joined(styles.iconButton, className)}>
    {children}
  </button>
);

interface PlainFieldProps extends ComponentProps<"input"> {
  label: string;
  side?: ReactNode;
  /** The hint; an `error` takes its place. */
  hint?: string | undefined;
  error?: string | undefined;
}

/** A labelled text field; `side` stands inside its right end. */
export function PlainField({ label, side, hint, error, id: ownId, className, ...rest }: PlainFieldProps) {
  const madeId = useId();
  const id = ownId ?? madeId;
  const note = error ?? hint;
  const noted = note === undefined ? {} : { "aria-describedby": `${id}-note` };
  return (
    <div>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box}>
        <input
          aria-invalid={error !== undefined || undefined}
          {...noted}
          {...rest}
          id={id}
          className={joined(styles.input, className)}
          data-has-side={side === undefined ? undefined : true}
        />
        {side && <span className={styles.side}>{side}</span>}
      </div>
      {note !== undefined && (
        <p id={`${id}-note`} className={styles.note} data-is-error={error !== undefined || undefined}>
          {note}
        </p>
      )}
    </div>
  );
}

/** A password field with a button that reveals its text. */
export function PlainPassword({ toggleLabel, ...rest }: PlainFieldProps & { toggleLabel: string }) {
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
