/** The token prices of one model: dollars or ratios, what the other one is beside each, and what holds where a field stays empty. */
import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { completionRatioText } from "../../../../../contract/src/pricing/price-display.ts";
import { LONG_CACHE_RATIO } from "../../../../../contract/src/pricing/pricing.ts";
import { Segmented } from "../../../ui/form/fields.tsx";
import { fieldRatios, inheritedRatio, TOKEN_FIELDS, type TokenField } from "../model/draft.ts";
import { amountOf, dollars, exactUsd, isSameNumber, times, usdShown } from "../model/units.ts";
import styles from "./editor.module.css";
import type { PriceForm } from "./form-state.ts";

const ORDER = ["label", "input", "description", "error"] as const;

/** A field for one amount, with its sign before it and what it is otherwise behind it. */
export function AmountInput({
  label,
  value,
  onChange,
  error,
  help,
  sign,
  beside,
  placeholder,
  isFirst = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  help?: string | undefined;
  sign: "$" | "×";
  beside?: string | undefined;
  placeholder?: string | undefined;
  isFirst?: boolean;
}) {
  return (
    <TextInput
      label={label}
      value={value}
      inputMode="decimal"
      autoComplete="off"
      spellCheck={false}
      {...(isFirst ? { "data-autofocus": true } : {})}
      placeholder={placeholder ?? ""}
      inputWrapperOrder={[...ORDER]}
      description={error === undefined ? help : undefined}
      error={error}
      leftSection={<span className={styles.sign}>{sign}</span>}
      leftSectionWidth={26}
      rightSection={beside === undefined ? undefined : <span className={styles.beside}>{beside}</span>}
      rightSectionWidth={beside === undefined ? 0 : 84}
      rightSectionPointerEvents="none"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const shortRatio = (ratio: string): string => (ratio.length > 9 ? `${ratio.slice(0, 8)}…` : ratio);

/** What stands beside a typed amount: the ratio of a price, the price of a ratio. */
function useBeside(form: PriceForm, field: TokenField): string | undefined {
  const { draft, read, source } = form;
  if (read.errors[field] !== undefined) return undefined;
  const { ratio, whole } = fieldRatios(read, source.base)(field);
  if (ratio === undefined || (field !== "input" && whole === undefined)) return undefined;
  if (draft.unit === "ratio") return dollars(usdShown(ratio, whole, source.quotaPerUnit));
  return field === "output" ? `${completionRatioText(ratio)}×` : `${shortRatio(ratio)}×`;
}

/** Sentences below a field: that a price is charged a little differently, and what follows from it. */
function useHelp(form: PriceForm, field: TokenField): string | undefined {
  const { t } = useTranslation("prices");
  const { draft, read, source } = form;
  const { ratio, whole } = fieldRatios(read, source.base)(field);
  if (ratio === undefined || read.errors[field] !== undefined || (field !== "input" && whole === undefined))
    return undefined;
  const exact = exactUsd(ratio, whole, source.quotaPerUnit);
  const typed = amountOf(draft.tokens[field]);
  if (draft.unit === "usd" && typed !== undefined && !isSameNumber(typed, exact))
    return t("editor.form.exact", { price: dollars(exact) });
  if (field !== "cacheWrite" || whole === undefined) return undefined;
  const long = usdShown(times(ratio, LONG_CACHE_RATIO), whole, source.quotaPerUnit);
  return t("editor.form.longWrite", { price: dollars(long), ratio: LONG_CACHE_RATIO });
}

function TokenInput({ form, field, isFirst }: { form: PriceForm; field: TokenField; isFirst: boolean }) {
  const { t } = useTranslation("prices");
  const { draft, read, source } = form;
  const inherited = inheritedRatio(source.base, field);
  const { whole } = fieldRatios(read, source.base)(field);
  const isKnown = inherited !== undefined && (field === "input" || whole !== undefined);
  const shown =
    isKnown &&
    (draft.unit === "ratio"
      ? inherited
      : usdShown(inherited, field === "input" ? undefined : whole, source.quotaPerUnit));
  return (
    <AmountInput
      label={t(`common.part.${field}`)}
      value={draft.tokens[field]}
      onChange={(value) => form.setToken(field, value)}
      error={form.errorOf(field)}
      help={useHelp(form, field)}
      sign={draft.unit === "usd" ? "$" : "×"}
      beside={useBeside(form, field)}
      placeholder={shown === false ? undefined : shown}
      isFirst={isFirst}
    />
  );
}

export function TokenFields({ form, isFirst }: { form: PriceForm; isFirst: boolean }) {
  const { t } = useTranslation("prices");
  return (
    <>
      <div className={styles.unitRow}>
        <Segmented
          label={t("editor.form.unit")}
          options={[
            { value: "usd", text: t("editor.form.usd") },
            { value: "ratio", text: t("editor.form.ratio") },
          ]}
          value={form.draft.unit}
          onChange={form.setUnit}
        />
        <span className={styles.note}>{t(`editor.form.${form.draft.unit}Help`)}</span>
      </div>
      <div className={styles.grid}>
        {TOKEN_FIELDS.map(({ field }) => (
          <TokenInput key={field} form={form} field={field} isFirst={isFirst && field === "input"} />
        ))}
      </div>
      <p className={styles.note}>{t("editor.form.emptyHelp")}</p>
    </>
  );
}
