/** The models the account may call: the first ten, the rest behind one press that is remembered; a click copies a name. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isStoredTrue, STORAGE, writeStored } from "../../lib/storage.ts";
import { Copy } from "../../ui/display/copy.tsx";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import { Card } from "../../ui/display/card.tsx";
import styles from "./models-card.module.css";
import { ownModelsQuery } from "./queries.ts";

const SHOWN_FIRST = 10;

function Models({ models }: { models: readonly string[] }) {
  const { t } = useTranslation("personal");
  const [isExpanded, setIsExpanded] = useState(() => isStoredTrue(STORAGE.areModelsExpanded));
  const toggle = () => {
    writeStored(STORAGE.areModelsExpanded, String(!isExpanded));
    setIsExpanded(!isExpanded);
  };
  const hidden = models.length - SHOWN_FIRST;
  return (
    <>
      <ul className={styles.models}>
        {models.slice(0, isExpanded ? undefined : SHOWN_FIRST).map((model) => (
          <li key={model} className={styles.model}>
            <Copy text={model} isIconLate>
              <ModelMark model={model} />
              <span className="mono">{model}</span>
            </Copy>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <PlainButton look="ghost" aria-expanded={isExpanded} onClick={toggle}>
          {isExpanded ? t("models.fewer") : t("models.more", { count: hidden })}
        </PlainButton>
      )}
    </>
  );
}

export function ModelsCard() {
  const { t } = useTranslation("personal");
  const query = useQuery(ownModelsQuery);
  const models = query.data ?? [];
  return (
    <Card title={t("models.title")} text={models.length > 0 && t("models.text", { count: models.length })}>
      {query.isPending && <div className={styles.waiting} aria-busy />}
      {query.isError && query.data === undefined && (
        <ErrorState title={t("models.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data?.length === 0 && <p className={styles.none}>{t("models.none")}</p>}
      {models.length > 0 && <Models models={models} />}
    </Card>
  );
}
