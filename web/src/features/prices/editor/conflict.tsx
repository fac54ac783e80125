/** Shown in the price editor where another user changed the open price: theirs beside the typed one, and the choice between the two. */
import { Button } from "@mantine/core";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { priceOf } from "../model/rows.ts";
import styles from "./editor.module.css";
import type { PriceForm } from "./form-state.ts";
import { priceWords } from "./list-price.tsx";

export function Conflict({
  form,
  stored,
  onChoose,
}: {
  form: PriceForm;
  /** The model as it is stored now; undefined where its price is gone. */
  stored: PriceRow | undefined;
  onChoose: (keepsDraft: boolean) => void;
}) {
  const { t } = useTranslation("prices");
  const { quotaPerUnit } = form.source;
  return (
    <div className={styles.conflict}>
      <Notice tone="amber">{t("editor.conflict.text")}</Notice>
      <dl className={styles.versions}>
        <div>
          <dt>{t("editor.conflict.theirs")}</dt>
          <dd>{priceWords(t, priceOf(stored?.price), quotaPerUnit)}</dd>
        </div>
        <div>
          <dt>{t("editor.conflict.yours")}</dt>
          <dd>{priceWords(t, form.read.price, quotaPerUnit)}</dd>
        </div>
      </dl>
      <div className={styles.conflictActs}>
        <Button size="xs" onClick={() => onChoose(false)}>
          {t("editor.conflict.takeTheirs")}
        </Button>
        <Button size="xs" onClick={() => onChoose(true)}>
          {t("editor.conflict.keepYours")}
        </Button>
      </div>
    </div>
  );
}
