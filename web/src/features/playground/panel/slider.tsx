/** A parameter from 0.1 to 1 in tenths. Until it is moved it stands at the model's default, which is not sent. */
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { formatDecimals } from "../../../lib/format.ts";
import { Field, FieldLink, FieldLinks } from "../../../ui/form/fields.tsx";
import { SLIDER, type SliderName } from "../model/parameters.ts";
import styles from "./panel.module.css";

/** Where the handle rests until it is moved. */
const REST = 1;

export function Slider({
  name,
  value,
  onChange,
}: {
  name: SliderName;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  const { t } = useTranslation("playground");
  const id = useId();
  const text = value === undefined ? t("parameters.default") : formatDecimals(value, 1);
  const share = ((value ?? REST) - SLIDER.min) / (SLIDER.max - SLIDER.min);
  return (
    <Field
      label={t(`parameters.${name}`)}
      htmlFor={id}
      side={
        <FieldLinks>
          <span className={styles.value} data-is-default={value === undefined || undefined}>
            {text}
          </span>
          {value !== undefined && (
            <FieldLink isQuiet onClick={() => onChange(undefined)}>
              {t("parameters.reset")}
            </FieldLink>
          )}
        </FieldLinks>
      }
      help={t(`parameters.${name}Help`)}
    >
      <input
        id={id}
        type="range"
        className={styles.slider}
        style={{ ["--share" as string]: value === undefined ? 0 : share }}
        data-is-default={value === undefined || undefined}
        {...SLIDER}
        value={value ?? REST}
        aria-valuetext={text}
        onChange={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
        // Where the wanted value is the one it rests at, no change tells of it.
        onPointerUp={({ currentTarget }) => value === undefined && onChange(currentTarget.valueAsNumber)}
      />
    </Field>
  );
}
