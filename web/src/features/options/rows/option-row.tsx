/** One option on the page: label, help and details, its control, its error, and a change by another user. */
import { Popover } from "@mantine/core";
import { IconAlertTriangle, IconDots } from "@tabler/icons-react";
import { memo, Suspense, lazy, useState } from "react";
import { hasText, useTranslation } from "../../../lib/i18n.ts";
import { formatQuota } from "../../../lib/format.ts";
import { useStatus } from "../../../lib/status.ts";
import { sentences } from "../../../lib/translate.ts";
import { FieldError } from "../../../ui/form/fields.tsx";
import { ManagedSign, useMark } from "../../../ui/managed.tsx";
import { useJsonError } from "../../../ui/form/json-editor.tsx";
import { type OptionField, useOptionField } from "../draft/settings.ts";
import { controlOf } from "../fields/controls.ts";
import type { OptionControl } from "../sections/parts.tsx";
import styles from "./rows.module.css";
import { useValueText } from "./value-text.ts";
import detailsStyles from "./details.module.css";

/** Loaded where another user changed the option meanwhile. */
const Conflict = lazy(async () => ({ default: (await import("./conflict.tsx")).Conflict }));

const Details = lazy(async () => ({ default: (await import("./details.tsx")).Details }));

/** The button beside an option's label that opens what else there is to know about it. */
function DetailsButton({ field, label }: { field: OptionField; label: string }) {
  const { t } = useTranslation("options");
  const [isOpen, setIsOpen] = useState(false);
  const name = t("details.open", { label });
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={360} trapFocus returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={detailsStyles.button}
          aria-label={name}
          title={name}
          onClick={() => setIsOpen(!isOpen)}
        >
          <IconDots size={15} stroke={1.5} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={detailsStyles.place ?? ""} aria-label={name}>
        <Suspense fallback={<div className={detailsStyles.waiting} />}>
          {isOpen && <Details field={field} onClose={() => setIsOpen(false)} />}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Dollars of an amount of quota, where the site shows money. */
function useDollars({ description, text }: OptionField): string | undefined {
  const { display_in_currency: isMoney } = useStatus();
  const quota = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  return isMoney && description.unit === "quota" && quota !== undefined ? formatQuota(quota) : undefined;
}

/** "Was 60." takes the change back. */
function Was({ field }: { field: OptionField }) {
  const { t } = useTranslation("options");
  const valueText = useValueText();
  const { description, row } = field;
  if (!field.isDirty || description.is_secret) return null;
  return (
    <button type="button" className={styles.was} title={t("row.revert")} onClick={field.revert}>
      {t("row.was", { value: valueText(description, row.value) })}
    </button>
  );
}

function Help({ field, id, sentence }: { field: OptionField; id: string; sentence: string }) {
  const { t } = useTranslation("options");
  const dollars = useDollars(field);
  return (
    <p className={styles.help} id={id}>
      {sentences(dollars && t("row.dollars", { dollars }), sentence)} <Was field={field} />
      {field.isReadOnly && <span className={styles.readOnly}>{t("row.readOnly")}</span>}
    </p>
  );
}

const NO_JSON = "";

interface RowProps {
  name: string;
  /** Replaces the control of the option's kind. */
  control: OptionControl | undefined;
}

export const rowId = (name: string): string => `option-${name}`;

/** The error of the text: broken JSON is seen at once, the rest when it is saved. */
function useProblem({ description, text, problem }: OptionField): string | undefined {
  const broken = useJsonError(description.kind === "json" ? text : NO_JSON);
  return broken ?? problem;
}

/** The effect of a change of this option on the site, shown while it is being changed. */
function Warning({ field }: { field: OptionField }) {
  const { t } = useTranslation("options");
  const key = `option.${field.description.key}.warning`;
  if (!field.isDirty || !hasText(`options:${key}`)) return null;
  return (
    <p className={styles.warning} role="status">
      <IconAlertTriangle size={14} stroke={1.5} aria-hidden />
      <span>{t(key)}</span>
    </p>
  );
}

export const OptionRow = memo(function OptionRow({ name, control }: RowProps) {
  const { t } = useTranslation("options");
  const field = useOptionField(name);
  const mark = useMark("option", name);
  const isLocked = mark?.is_locked === true;
  const problem = useProblem(field);
  const { Control: OfKind, isWide = false } = controlOf(field.description);
  const Control = control ?? OfKind;
  const id = `${rowId(name)}-control`;
  const help = `${rowId(name)}-help`;
  const label = t(`option.${name}.label`, { defaultValue: name });
  // The tab waits for controls of its own parts; the kinds' own fill their place when they come.
  const drawn = <Control field={field} id={id} describedBy={help} label={label} />;
  return (
    <div
      id={rowId(name)}
      className={styles.row}
      data-option={name}
      data-is-wide={isWide || undefined}
      data-is-dirty={field.isDirty || undefined}
    >
      <div className={styles.about}>
        <div className={styles.head}>
          <label className={styles.label} id={`${id}-label`} htmlFor={id}>
            {label}
          </label>
          <ManagedSign mark={mark} hasName />
          <DetailsButton field={isLocked ? { ...field, isReadOnly: true } : field} label={label} />
          <code className={styles.name} title={name}>
            {name}
          </code>
        </div>
        <Help field={field} id={help} sentence={t(`option.${name}.help`, { defaultValue: "" })} />
        <Warning field={field} />
        {!isWide && <FieldError error={problem} />}
      </div>
      <div className={styles.control}>
        <fieldset className={styles.frame} disabled={field.isReadOnly || isLocked}>
          {control === undefined ? <Suspense fallback={<div className={styles.loading} />}>{drawn}</Suspense> : drawn}
        </fieldset>
        {isWide && <FieldError error={problem} />}
      </div>
      {field.theirs !== undefined && (
        <Suspense>
          <Conflict field={field} theirs={field.theirs} />
        </Suspense>
      )}
    </div>
  );
});
