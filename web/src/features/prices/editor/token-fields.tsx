/** The token prices of one model in dollars or ratios, its tiers for long contexts, and what applies where a field is empty. */
import { TextInput, ActionIcon, Button } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "../../../lib/i18n.ts";
import { LONG_CACHE_RATIO } from "../../../../../contract/src/pricing/pricing.ts";
import { Segmented } from "../../../ui/form/fields.tsx";
import {
  fieldRatios,
  inheritedRatio,
  TOKEN_FIELDS,
  type TokenField,
  droppedTiers,
  keptTiers,
  TIER_FIELDS,
  type TierDraft,
  type TierField,
} from "../model/draft.ts";
import { amountOf, completionShown, dollars, exactUsd, isSameNumber, times, usdShown } from "../model/units.ts";
import styles from "./editor.module.css";
import type { PriceForm } from "./form-state.ts";
import { formatNumber } from "../../../lib/format.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { FormSection } from "../../../ui/form/form-drawer.tsx";

/** The server takes no more. */
const MAX_TIERS = 8;

/** Prices of the list above its bounds, and the button that keeps them. */
export function DroppedTiers({ form }: { form: PriceForm }) {
  const { t } = useTranslation("prices");
  const { draft, source } = form;
  const [first, ...rest] = droppedTiers(draft, source.base);
  if (first === undefined) return null;
  const values = {
    tokens: formatNumber(first.aboveInputTokens),
    input: dollars(exactUsd(first.ratio, undefined, source.quotaPerUnit)),
    output: dollars(exactUsd(first.completionRatio, first.ratio, source.quotaPerUnit)),
  };
  return (
    <Notice tone="amber">
      {t("editor.tiers.dropped", values)} {rest.length > 0 && t("editor.tiers.droppedMore", { count: rest.length })}{" "}
      <button
        type="button"
        className={styles.noticeAct}
        onClick={() => form.change({ tiers: keptTiers(draft, source.base, source.quotaPerUnit) })}
      >
        {t("editor.tiers.keep")}
      </button>
    </Notice>
  );
}

function TierRow({ form, index, tier }: { form: PriceForm; index: number; tier: TierDraft }) {
  const { t } = useTranslation("prices");
  const { draft } = form;
  const set = (field: TierField | "above", value: string) =>
    form.change({ tiers: draft.tiers.map((each) => (each.id === tier.id ? { ...each, [field]: value } : each)) });
  return (
    <fieldset className={styles.tier}>
      <legend className="tp-visually-hidden">{t("editor.tiers.legend", { number: index + 1 })}</legend>
      <div className={styles.tierHead}>
        <TextInput
          label={t("editor.tiers.above")}
          value={tier.above}
          inputMode="numeric"
          autoComplete="off"
          error={form.errorOf(`tiers.${index}.above`)}
          onChange={(event) => set("above", event.currentTarget.value)}
        />
        <ActionIcon
          variant="subtle"
          size={32}
          aria-label={t("editor.tiers.remove", { tokens: tier.above })}
          onClick={() => form.change({ tiers: draft.tiers.filter(({ id }) => id !== tier.id) })}
        >
          <IconTrash size={16} stroke={1.5} />
        </ActionIcon>
      </div>
      <div className={styles.grid}>
        {TIER_FIELDS.map(({ field }) => (
          <AmountInput
            key={field}
            label={t(`common.part.${field}`)}
            value={tier[field]}
            onChange={(value) => set(field, value)}
            error={form.errorOf(`tiers.${index}.${field}`)}
            sign={draft.unit === "usd" ? "$" : "×"}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Prices of long contexts: the tiers of the model's own, and the warning where an own input price would drop those of the list. */
export function TierFields({ form }: { form: PriceForm }) {
  const { t } = useTranslation("prices");
  const { tiers } = form.draft;
  const next = Math.max(999, ...tiers.map(({ id }) => id)) + 1;
  const add = () =>
    form.change({ tiers: [...tiers, { id: next, above: "", input: "", output: "", cacheRead: "", cacheWrite: "" }] });
  return (
    <FormSection title={t("editor.tiers.title")}>
      <p className={styles.note}>{t(tiers.length === 0 ? "editor.tiers.none" : "editor.tiers.help")}</p>
      {tiers.map((tier, index) => (
        <TierRow key={tier.id} form={form} index={index} tier={tier} />
      ))}
      {tiers.length < MAX_TIERS && (
        <div>
          <Button size="xs" leftSection={<IconPlus size={14} stroke={1.5} />} onClick={add}>
            {t("editor.tiers.add")}
          </Button>
        </div>
      )}
    </FormSection>
  );
}

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

/** The text beside a typed amount: the ratio of a price, the price of a ratio. */
function useBeside(form: PriceForm, field: TokenField): string | undefined {
  const { draft, read, source } = form;
  if (read.errors[field] !== undefined) return undefined;
  const { ratio, whole } = fieldRatios(read, source.base)(field);
  if (ratio === undefined || (field !== "input" && whole === undefined)) return undefined;
  if (draft.unit === "ratio") return dollars(usdShown(ratio, whole, source.quotaPerUnit));
  return field === "output" ? `${completionShown(ratio)}×` : `${shortRatio(ratio)}×`;
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
