/** Many prices at once: models by pattern or from the selection, set or multiplied, each shown before and after, saved as one change. */
import { TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { decimalTextOf } from "../../../../../contract/src/pricing/price-display.ts";
import { formatNumber } from "../../../lib/format.ts";
import { apart, visible } from "../../../lib/names.ts";
import { useStatus } from "../../../lib/status.ts";
import stacked from "../../../ui/display/stacked-rows.module.css";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { Segmented } from "../../../ui/form/fields.tsx";
import { FormDrawer, FormSection } from "../../../ui/form/form-drawer.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { type BulkAct, bulkErrors, type BulkPlan, bulkPlan, rowsOfPattern } from "../model/bulk.ts";
import { conflictOf, useChangePrices } from "../queries.ts";
import { TryDraft } from "../try-draft.tsx";
import styles from "./editor.module.css";
import { priceWords } from "./list-price.tsx";
import { AmountInput } from "./token-fields.tsx";

type Kind = BulkAct["kind"];
const KINDS = ["multiply", "tokens", "call"] as const satisfies readonly Kind[];

interface Texts {
  factor: string;
  input: string;
  output: string;
  call: string;
}
interface BulkForm extends Texts {
  pattern: string;
  kind: Kind;
}
const START: BulkForm = { pattern: "", kind: "multiply", factor: "", input: "", output: "", call: "" };

const actOf = ({ kind, factor, input, output, call }: BulkForm): BulkAct =>
  kind === "multiply" ? { kind, factor } : kind === "call" ? { kind, call } : { kind, input, output };

/** Lines that are shown; the rest is counted. */
const SHOWN = 50;

function Preview({ plan, quotaPerUnit }: { plan: BulkPlan; quotaPerUnit: string }) {
  const { t } = useTranslation("prices");
  const rest = plan.lines.length - SHOWN;
  return (
    <div className={styles.preview}>
      <table className={`${styles.previewTable} ${stacked.stacked}`}>
        <thead>
          <tr>
            <th scope="col">{t("editor.column.model")}</th>
            <th scope="col">{t("editor.bulk.before")}</th>
            <th scope="col">{t("editor.bulk.after")}</th>
          </tr>
        </thead>
        <tbody>
          {plan.lines.slice(0, SHOWN).map(({ change, before, after }) => (
            <tr key={change.model}>
              <th scope="row" className="mono">
                {visible(change.model)}
              </th>
              <td data-label={t("editor.bulk.before")}>{priceWords(t, before, quotaPerUnit)}</td>
              <td data-label={t("editor.bulk.after")}>
                <b>{priceWords(t, after, quotaPerUnit)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <p className={styles.note}>{t("editor.bulk.more", { count: rest, formatted: formatNumber(rest) })}</p>
      )}
    </div>
  );
}

/** The dry run of the plan on past calls. */
function TryPlan({ plan: { lines } }: { plan: BulkPlan }) {
  const draft = useMemo(() => ({ changes: lines.map(({ change: { model, to } }) => ({ model, to })) }), [lines]);
  return <TryDraft draft={draft} />;
}

/** How many change, stay, or have nothing to multiply. */
function Summary({ plan }: { plan: BulkPlan }) {
  const { t } = useTranslation("prices");
  const count = (number: number) => ({ count: number, formatted: formatNumber(number) });
  const sentences = [
    t("editor.bulk.changing", count(plan.lines.length)),
    ...(plan.unchanged > 0 ? [t("editor.bulk.unchanged", count(plan.unchanged))] : []),
    ...(plan.unpriced.length > 0 ? [t("editor.bulk.unpriced", count(plan.unpriced.length))] : []),
  ];
  return (
    <p className={styles.note} role="status">
      {sentences.join(" · ")}
    </p>
  );
}

function ActFields({
  kind,
  texts,
  errorOf,
  change,
}: {
  kind: Kind;
  texts: Texts;
  errorOf: (field: keyof Texts) => string | undefined;
  change: (next: Partial<Texts>) => void;
}) {
  const { t } = useTranslation("prices");
  const input = (field: keyof Texts, label: string, sign: "$" | "×", help?: string) => (
    <AmountInput
      label={label}
      value={texts[field]}
      onChange={(value) => change({ [field]: value })}
      error={errorOf(field)}
      help={help}
      sign={sign}
    />
  );
  if (kind === "multiply") return input("factor", t("editor.bulk.factor"), "×", t("editor.bulk.factorHelp"));
  if (kind === "call") return input("call", t("editor.form.call"), "$", t("editor.form.callHelp"));
  return (
    <div className={styles.grid}>
      {input("input", t("common.part.input"), "$", t("editor.form.usdHelp"))}
      {input("output", t("common.part.output"), "$", t("editor.bulk.outputHelp"))}
    </div>
  );
}

function useBulk(rows: readonly PriceRow[], selected: readonly string[] | undefined) {
  const quotaPerUnit = decimalTextOf(useStatus().quota_per_unit);
  const form = useForm<BulkForm, string>({
    start: () => START,
    check: (values) => bulkErrors(actOf(values)),
    onChange: "live",
  });
  const { values } = form;
  const { pattern } = values;
  const matched = useMemo(() => {
    if (selected === undefined) return rowsOfPattern(rows, pattern);
    const names = new Set(selected);
    return rows.filter(({ model }) => names.has(model));
  }, [rows, selected, pattern]);
  const plan = useMemo(() => {
    const act = actOf(values);
    return Object.keys(bulkErrors(act)).length === 0 ? bulkPlan(matched, act, quotaPerUnit) : undefined;
  }, [matched, values, quotaPerUnit]);
  return { form, quotaPerUnit, matched, plan };
}

type Bulk = ReturnType<typeof useBulk>;

function Which({ bulk, selected }: { bulk: Bulk; selected: readonly string[] | undefined }) {
  const { t } = useTranslation("prices");
  const { form, matched } = bulk;
  const { pattern } = form.values;
  const found = t("editor.bulk.found", { count: matched.length, formatted: formatNumber(matched.length) });
  if (selected !== undefined) return <p className={styles.note}>{found}</p>;
  const isMissing = form.isChecked && matched.length === 0;
  return (
    <TextInput
      data-autofocus
      label={t("editor.bulk.pattern")}
      value={pattern}
      placeholder="gpt-4o*"
      autoComplete="off"
      spellCheck={false}
      inputWrapperOrder={["label", "input", "description", "error"]}
      description={isMissing ? undefined : pattern.trim() === "" ? t("editor.bulk.patternHelp") : found}
      error={isMissing ? t(pattern.trim() === "" ? "editor.bulk.patternMissing" : "editor.bulk.noMatch") : undefined}
      onChange={(event) => form.change({ pattern: event.currentTarget.value })}
    />
  );
}

/** Saves the plan as one change; a refusal keeps what is typed, and the preview then starts from what is stored. */
function useSave(bulk: Bulk, onClose: () => void) {
  const { t } = useTranslation("prices");
  const change = useChangePrices();
  const [conflict, setConflict] = useState<string>();
  const save = async (): Promise<boolean> => {
    bulk.form.check();
    const { plan } = bulk;
    if (plan === undefined || bulk.matched.length === 0) return false;
    if (plan.lines.length === 0) {
      toast.info(t("common.nothingChanged"));
      return false;
    }
    try {
      const { changed } = await change.mutateAsync(plan.lines.map((line) => line.change));
      toast.success(t("editor.bulk.saved", { count: changed, formatted: formatNumber(changed) }));
    } catch (error) {
      setConflict(conflictOf(error));
      if (conflictOf(error) === undefined) toast.error(error, t("editor.bulk.notSaved"));
      return false;
    }
    onClose();
    return true;
  };
  return { save, conflict };
}

/** @param selected models chosen in the table; undefined asks for a pattern */
export function BulkDrawer({
  rows,
  selected,
  onClose,
}: {
  rows: readonly PriceRow[];
  selected: readonly string[] | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation("prices");
  const bulk = useBulk(rows, selected);
  const { save, conflict } = useSave(bulk, onClose);
  const { form, plan } = bulk;
  const { pattern, kind, ...texts } = form.values;
  const count = plan?.lines.length ?? 0;
  const errorOf = (field: keyof Texts) => {
    const error = form.errorOf(field);
    return error && t(`common.error.${error === "missing" ? "number" : error}`);
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("editor.bulk.title")}
      isDirty={pattern !== "" || Object.values(texts).some((each) => each !== "")}
      onSubmit={save}
      submitLabel={
        count === 0 ? t("editor.bulk.saveNone") : t("editor.bulk.save", { count, formatted: formatNumber(count) })
      }
    >
      {conflict !== undefined && <Notice tone="amber">{t("editor.bulk.conflict", { model: apart(conflict) })}</Notice>}
      <FormSection title={t("editor.bulk.which")}>
        <Which bulk={bulk} selected={selected} />
      </FormSection>
      <FormSection title={t("editor.bulk.what")}>
        <Segmented
          label={t("editor.bulk.what")}
          options={KINDS.map((value) => ({ value, text: t(`editor.bulk.kind.${value}`) }))}
          value={kind}
          onChange={(next) => form.change({ kind: next })}
        />
        <ActFields kind={kind} texts={texts} errorOf={errorOf} change={form.change} />
      </FormSection>
      {plan !== undefined && bulk.matched.length > 0 && (
        <FormSection title={t("editor.bulk.preview")}>
          <Summary plan={plan} />
          {plan.lines.length > 0 && <Preview plan={plan} quotaPerUnit={bulk.quotaPerUnit} />}
          {plan.lines.length > 0 && <TryPlan plan={plan} />}
        </FormSection>
      )}
    </FormDrawer>
  );
}
