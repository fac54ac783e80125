/** Prices of long contexts: the tiers of the model's own, and the warning where an own input price would drop those of the list. */
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../lib/format.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { FormSection } from "../../../ui/form/form-drawer.tsx";
import { droppedTiers, keptTiers, TIER_FIELDS, type TierDraft, type TierField } from "../model/draft.ts";
import { dollars, exactUsd } from "../model/units.ts";
import styles from "./editor.module.css";
import type { PriceForm } from "./form-state.ts";
import { AmountInput } from "./token-fields.tsx";

/** The server takes no more. */
const MAX_TIERS = 8;

/** What the list charges above its bounds, and the way to keep it. */
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
