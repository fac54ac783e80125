/** A whole-number field with − and + at its right end. */
import { NumberInput, type NumberInputProps } from "@mantine/core";
import { IconMinus, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import styles from "./number-field.module.css";

const clamp = (value: number, min: number | undefined, max: number | undefined): number =>
  Math.min(Math.max(value, min ?? -Infinity), max ?? Infinity);

/** The value is undefined while the field is empty. Arrow keys step too. */
export function NumberField({
  value,
  onChange,
  min,
  max,
  ...rest
}: Omit<NumberInputProps, "value" | "onChange" | "min" | "max"> & {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  min?: number;
  max?: number;
}) {
  const { t } = useTranslation("ui");
  const step = (by: number) => onChange(clamp((value ?? 0) + by, min, max));
  const limits = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return (
    <NumberInput
      inputWrapperOrder={["label", "input", "description", "error"]}
      allowDecimal={false}
      hideControls
      {...rest}
      {...limits}
      value={value ?? ""}
      onChange={(next) => onChange(typeof next === "number" ? next : undefined)}
      rightSectionWidth={64}
      rightSection={
        <span className={styles.steps}>
          <button type="button" tabIndex={-1} className={styles.step} aria-label={t("less")} onClick={() => step(-1)}>
            <IconMinus size={15} stroke={1.5} />
          </button>
          <button type="button" tabIndex={-1} className={styles.step} aria-label={t("more")} onClick={() => step(1)}>
            <IconPlus size={15} stroke={1.5} />
          </button>
        </span>
      }
    />
  );
}
