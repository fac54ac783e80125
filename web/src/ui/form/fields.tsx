/** Form parts that Mantine does not provide: label rows with links, presets, toggles with a sentence, segmented choices. */
import { Switch } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { unlessOff } from "../plain.tsx";
import { useIsLocked } from "./locked-fields.tsx";
import styles from "./fields.module.css";

/** Label of an input that may stay empty: "Models optional". */
export function OptionalLabel({ children }: { children: ReactNode }) {
  const { t } = useTranslation("ui");
  return (
    <>
      {children}
      <span className={styles.optional}>{t("optional")}</span>
    </>
  );
}

/**
 * A field made by hand: label row (links or a switch on the right), control, then the error in place of the help.
 * @param htmlFor id of the control; an own control may take `aria-labelledby={`${htmlFor}-label`}` instead
 */
export function Field({
  label,
  htmlFor,
  isOptional = false,
  side,
  help,
  error,
  children,
}: {
  label: ReactNode;
  htmlFor: string;
  isOptional?: boolean;
  side?: ReactNode;
  help?: ReactNode;
  error?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div>
      <div className={styles.labelRow}>
        <label className={styles.label} htmlFor={htmlFor} id={`${htmlFor}-label`}>
          {isOptional ? <OptionalLabel>{label}</OptionalLabel> : label}
        </label>
        {side}
      </div>
      {children}
      <FieldError error={error} />
      {!error && help && <p className={styles.help}>{help}</p>}
    </div>
  );
}

/** The error below a field. */
export function FieldError({ error }: { error: ReactNode }) {
  if (!error) return null;
  return (
    <p className={styles.error} role="alert">
      <IconAlertCircle size={14} stroke={1.5} aria-hidden />
      <span>{error}</span>
    </p>
  );
}

/** Links right of a label: "Fetch from provider", "Clear". */
export const FieldLinks = ({ children }: { children: ReactNode }) => <span className={styles.links}>{children}</span>;

/** An act on a field; a field that can only be read has none. */
export function FieldLink({
  onClick,
  isQuiet = false,
  isDisabled = false,
  children,
}: {
  onClick: () => void;
  isQuiet?: boolean;
  isDisabled?: boolean;
  children: ReactNode;
}) {
  if (useIsLocked()) return null;
  return (
    <button type="button" className={styles.link} data-quiet={isQuiet || undefined} {...unlessOff(isDisabled, onClick)}>
      {children}
    </button>
  );
}

/**
 * Chips under a field that fill it.
 * @example <Presets label={t("quota")} options={QUOTA_PRESETS.map((q) => ({ value: q, text: formatQuota(q, 0) }))} value={quota} onPick={setQuota} />
 */
export function Presets<Value extends string | number>({
  label,
  options,
  value,
  onPick,
}: {
  label: string;
  /** `note` stands behind the text, as a discount does. */
  options: readonly { value: Value; text: string; note?: string | undefined }[];
  value: Value | undefined;
  onPick: (value: Value) => void;
}) {
  return (
    <div className={styles.presets} role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className={styles.preset}
          aria-pressed={option.value === value}
          onClick={() => onPick(option.value)}
        >
          {option.text}
          {option.note !== undefined && <span className={styles.presetNote}> {option.note}</span>}
        </button>
      ))}
    </div>
  );
}

/** A switch with a bold label and a sentence that explains it. */
export function Toggle({
  isOn,
  onChange,
  label,
  text,
  isDisabled = false,
}: {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  label: string;
  text?: string;
  isDisabled?: boolean;
}) {
  const id = useId();
  return (
    <div className={styles.toggle}>
      <Switch
        id={id}
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label htmlFor={id}>
        <b>{label}</b> {text}
      </label>
    </div>
  );
}

/** The index that a key moves to in a row of `count` choices; it wraps around, as in a radio group. */
const PLACES: Record<string, (index: number, count: number) => number> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowDown: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index - 1 + count) % count,
  ArrowUp: (index, count) => (index - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** One of up to six values; arrow keys move, as in a radio group. */
export function Segmented<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly { value: Value; text: ReactNode }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const group = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const place = PLACES[event.key];
    if (place === undefined) return;
    event.preventDefault();
    const next = place(
      options.findIndex((option) => option.value === value),
      options.length,
    );
    const option = options[next];
    if (option === undefined) return;
    onChange(option.value);
    group.current?.querySelectorAll<HTMLButtonElement>("button")[next]?.focus();
  };
  return (
    <div ref={group} className={styles.segments} role="radiogroup" aria-label={label} onKeyDown={onKeyDown}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          className={styles.segment}
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          onClick={() => onChange(option.value)}
        >
          {option.text}
        </button>
      ))}
    </div>
  );
}
