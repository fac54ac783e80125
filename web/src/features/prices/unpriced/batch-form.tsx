/** One price for the models that are selected: by tokens or by request, in dollars. */
import { TextInput } from "@mantine/core";
import { type FormEvent, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PriceChange, PriceRow } from "../../../../../contract/src/features/prices.ts";
import type { PriceDraft } from "../../../../../contract/src/pricing/dry-run.ts";
import { decimalTextOf } from "../../../../../contract/src/pricing/price-display.ts";
import { formatNumber } from "../../../lib/format.ts";
import { useStatus } from "../../../lib/status.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FieldError, Segmented } from "../../../ui/form/fields.tsx";
import styles from "../editor/editor.module.css";
import { type BulkAct, bulkErrors, bulkPlan } from "../model/bulk.ts";
import { useChangePrices } from "../queries.ts";
import { TryDraft } from "../try-draft.tsx";

type Kind = "tokens" | "call";
const START = { input: "", output: "", call: "" };
type Texts = typeof START;

const actOf = (kind: Kind, { input, output, call }: Texts): BulkAct =>
  kind === "call" ? { kind, call } : { kind, input, output };

/** The price that is set for the selected models, and what is missing for it. */
export function useBatch(chosen: readonly PriceRow[], onDone: () => void) {
  const { t } = useTranslation("prices");
  const quotaPerUnit = decimalTextOf(useStatus().quota_per_unit);
  const [kind, setKind] = useState<Kind>("tokens");
  const [texts, setTexts] = useState(START);
  const [isChecked, setIsChecked] = useState(false);
  const change = useChangePrices();
  const act = actOf(kind, texts);
  const errors = bulkErrors(act);
  const isReady = chosen.length > 0 && Object.keys(errors).length === 0;
  const changes = isReady ? bulkPlan(chosen, act, quotaPerUnit).lines.map((line) => line.change) : [];
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (!isReady || change.isPending) return;
    try {
      const { changed } = await change.mutateAsync(changes);
      toast.success(t("editor.bulk.saved", { count: changed, formatted: formatNumber(changed) }));
    } catch (error) {
      toast.error(error, t("editor.bulk.notSaved"));
      return;
    }
    setIsChecked(false);
    setTexts(START);
    onDone();
  };
  return {
    kind,
    setKind,
    texts,
    setText: (field: keyof Texts, value: string) => setTexts({ ...texts, [field]: value }),
    changes,
    submit,
    isBusy: change.isPending,
    isUnselected: isChecked && chosen.length === 0,
    errorOf: (field: keyof Texts) => {
      const error = isChecked ? errors[field] : undefined;
      return error && t(error === "missing" ? "unpriced.valueMissing" : `common.error.${error}`);
    },
  };
}

/** What the price would have meant for past calls of these models. */
function TryChanges({ changes }: { changes: readonly PriceChange[] }) {
  // By its text: the selection is another list each time the table is drawn.
  const text = JSON.stringify({ changes: changes.map(({ model, to }) => ({ model, to })) });
  const draft = useMemo(() => JSON.parse(text) as PriceDraft, [text]);
  return <TryDraft draft={draft} />;
}

export function BatchForm({ batch, count }: { batch: ReturnType<typeof useBatch>; count: number }) {
  const { t } = useTranslation("prices");
  const field = (name: keyof Texts, label: string) => (
    <TextInput
      key={name}
      size="xs"
      className={styles.batchField ?? ""}
      aria-label={label}
      placeholder={label}
      leftSection={<span className={styles.sign}>$</span>}
      leftSectionWidth={24}
      inputMode="decimal"
      autoComplete="off"
      value={batch.texts[name]}
      error={batch.errorOf(name)}
      onChange={(event) => batch.setText(name, event.currentTarget.value)}
    />
  );
  return (
    <form onSubmit={(event) => void batch.submit(event)} noValidate aria-label={t("unpriced.batch")}>
      <div className={styles.batch}>
        <Segmented
          label={t("editor.form.kind")}
          options={[
            { value: "tokens", text: t("editor.form.byTokens") },
            { value: "call", text: t("common.perCall") },
          ]}
          value={batch.kind}
          onChange={batch.setKind}
        />
        {batch.kind === "call"
          ? field("call", t("editor.form.call"))
          : [field("input", t("unpriced.input")), field("output", t("unpriced.output"))]}
        <BusyButton type="submit" size="xs" variant="filled" isBusy={batch.isBusy}>
          {count === 0 ? t("unpriced.set") : t("unpriced.setFor", { count, formatted: formatNumber(count) })}
        </BusyButton>
      </div>
      <FieldError error={batch.isUnselected ? t("unpriced.selectionMissing") : undefined} />
      {batch.changes.length > 0 && <TryChanges changes={batch.changes} />}
    </form>
  );
}
