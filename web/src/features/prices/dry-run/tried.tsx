/** A dry run of an editor's draft inside the editor; nothing is saved. */
import { useEffect, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { PriceDraft } from "../../../../../contract/src/pricing/dry-run.ts";
import styles from "./dry-run.module.css";
import { createDryRun } from "./dry-run-store.ts";
import { DaysChoice, Outcome } from "./run-parts.tsx";

const DEFAULT_DAYS = 7;

/** @param onCancelled takes the focus, whose button is gone then */
export function Tried({ draft, onCancelled }: { draft: PriceDraft; onCancelled: () => void }) {
  const { t } = useTranslation("prices");
  const [dryRun] = useState(createDryRun);
  const [days, setDays] = useState(DEFAULT_DAYS);
  useEffect(() => {
    dryRun.start(draft, days);
    return () => dryRun.cancel();
  }, [dryRun, draft, days]);
  return (
    <section className={styles.panel} aria-label={t("dryRun.tryTitle")}>
      <DaysChoice days={days} onChange={setDays} />
      <Outcome dryRun={dryRun} retry={() => dryRun.start(draft, days)} onCancelled={onCancelled} />
    </section>
  );
}
