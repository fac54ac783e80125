/** A preview of the typed price: what one call of so many tokens in a group costs, and a thousand of them. */
import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { decimalTextOf } from "../../../../../contract/src/pricing/price-display.ts";
import { formatNumber } from "../../../lib/format.ts";
import { ChoiceSelect } from "../../../ui/form/choice-select.tsx";
import { FormSection } from "../../../ui/form/form-drawer.tsx";
import { dollars } from "../model/units.ts";
import { groupsQuery } from "../queries.ts";
import styles from "./editor.module.css";
import type { PriceForm } from "./form-state.ts";
import { quotaToUsd, toDecimalText } from "../../../../../contract/src/money.ts";
import { explainCharge } from "../../../../../contract/src/pricing/charge-receipt.ts";
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE } from "../../../../../contract/src/pricing/usage.ts";

interface SampleCall {
  input: number;
  cached: number;
  output: number;
}

const CALLS = 1000;
const DIGITS = 6;

interface SampleCharge {
  /** USD of one call and of a thousand, as text. */
  one: string;
  thousand: string;
  /** The charge in quota with the numbers filled in, as receipts have it. */
  formula: string;
  /** Bound of the tier that applies. */
  tierAbove: number | undefined;
}

/** The cost of a sample call under a draft's price in a group, by the functions that charge. Pure. */
function sampleCost(call: SampleCall, price: ModelPrice, groupRatio: string, quotaPerUnit: string): SampleCharge {
  const usage = { ...NO_USAGE, inputTokens: call.input, cacheReadTokens: call.cached, outputTokens: call.output };
  const { quota, formula, tierAbove } = explainCharge(usage, price, groupRatio, quotaPerUnit);
  const usd = (amount: number) => toDecimalText(quotaToUsd(amount, quotaPerUnit), DIGITS);
  return { one: usd(quota), thousand: usd(quota * CALLS), formula, tierAbove };
}

const FIELDS = ["input", "cached", "output"] as const satisfies readonly (keyof SampleCall)[];
const START: Record<keyof SampleCall, string> = { input: "1000", cached: "0", output: "500" };
const MAX_TOKENS = 100_000_000;

/** Whole tokens of a typed text; what is no number counts as none. */
function tokensOf(text: string): number {
  const bare = text.replace(/[\s,]/g, "");
  return /^\d{1,9}$/.test(bare) ? Math.min(Number(bare), MAX_TOKENS) : 0;
}

/** The groups of the viewer with their ratios, and the one that is chosen. */
function useGroupChoice() {
  const groups = Object.entries(useQuery(groupsQuery).data ?? { default: { desc: "", ratio: 1 } });
  const [chosen, setChosen] = useState("default");
  const [name = "default", entry] = groups.find(([each]) => each === chosen) ?? groups[0] ?? [];
  return { groups, name, ratio: decimalTextOf(entry?.ratio ?? 1), choose: setChosen };
}

function Result({ form, call, groupRatio }: { form: PriceForm; call: SampleCall; groupRatio: string }) {
  const { t } = useTranslation("prices");
  const { price } = form.read;
  if (price === undefined) return <p className={styles.note}>{t("editor.sample.none")}</p>;
  const cost = sampleCost(call, price, groupRatio, form.source.quotaPerUnit);
  return (
    <div className={styles.sample} role="status">
      <span>
        {t("editor.sample.one")} <b>{dollars(cost.one)}</b>
      </span>
      <span>
        {t("editor.sample.thousand")} <b>{dollars(cost.thousand)}</b>
      </span>
      {cost.tierAbove !== undefined && (
        <span className={styles.note}>{t("editor.sample.tier", { tokens: formatNumber(cost.tierAbove) })}</span>
      )}
      <code className={styles.formula}>{cost.formula}</code>
    </div>
  );
}

export function SampleCost({ form }: { form: PriceForm }) {
  const { t } = useTranslation("prices");
  const [texts, setTexts] = useState(START);
  const { groups, name, ratio, choose } = useGroupChoice();
  const isFixed = form.draft.kind === "call";
  const call: SampleCall = {
    input: tokensOf(texts.input),
    cached: tokensOf(texts.cached),
    output: tokensOf(texts.output),
  };
  return (
    <FormSection title={t("editor.sample.title")}>
      <div className={styles.sampleFields}>
        {!isFixed &&
          FIELDS.map((field) => (
            <TextInput
              key={field}
              label={t(`editor.sample.${field}`)}
              value={texts[field]}
              inputMode="numeric"
              autoComplete="off"
              onChange={(event) => setTexts({ ...texts, [field]: event.currentTarget.value })}
            />
          ))}
        <div>
          <span className={styles.sampleLabel}>{t("editor.sample.group")}</span>
          <ChoiceSelect
            label={t("editor.sample.group")}
            choices={groups.map(([group, each]) => ({ value: group, text: group, side: `${each.ratio}×` }))}
            value={name}
            onChange={choose}
          />
        </div>
      </div>
      <Result form={form} call={call} groupRatio={ratio} />
    </FormSection>
  );
}
