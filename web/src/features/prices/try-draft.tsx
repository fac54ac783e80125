/** The button of a price editor that runs its draft on past calls, with the result below it until the draft changes. */
import { Button } from "@mantine/core";
import { lazy, Suspense, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { PriceDraft } from "../../../../contract/src/pricing/dry-run.ts";
import styles from "./try-draft.module.css";

const Tried = lazy(() => import("./dry-run/tried.tsx").then(({ Tried: part }) => ({ default: part })));

/**
 * @param draft what 'save' would send: changes of models, texts of options, or both; the same object until it changes
 * @example <TryDraft draft={useMemo(() => ({ options: { GroupRatio: text } }), [text])} />
 */
export function TryDraft({ draft }: { draft: PriceDraft }) {
  const { t } = useTranslation("prices");
  const button = useRef<HTMLButtonElement>(null);
  const [tried, setTried] = useState<PriceDraft>();
  const end = () => {
    setTried(undefined);
    button.current?.focus();
  };
  return (
    <div className={styles.place}>
      <Button ref={button} variant="default" onClick={() => setTried(draft)}>
        {t("dryRun.try")}
      </Button>
      {tried === draft && (
        <Suspense fallback={null}>
          <Tried draft={tried} onCancelled={end} />
        </Suspense>
      )}
    </div>
  );
}
