/** What this server runs on, and whether there is a newer release. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { checkForUpdate, getSystemInfo, type UpdateCheck } from "../../../../../contract/src/features/options.ts";
import { call } from "../../../lib/api.ts";
import { Time } from "../../../ui/display/time.tsx";
import { OperatorText } from "../../../ui/content/operator-page.tsx";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import type { SectionDraft } from "../draft/settings.ts";
import styles from "./sections.module.css";

const DATABASES: Readonly<Record<string, string>> = { sqlite: "SQLite", postgres: "PostgreSQL", mysql: "MySQL" };

function Facts() {
  const { t } = useTranslation(["options", "ui"]);
  const query = useQuery({
    queryKey: ["options", "system"],
    queryFn: ({ signal }) => call(getSystemInfo, { signal }),
  });
  if (query.error !== null && query.data === undefined)
    return (
      <Notice tone="red">
        {t("system.notLoaded")}: {query.error.message}{" "}
        <button type="button" className={styles.link} onClick={() => void query.refetch()}>
          {t("ui:error.retry")}
        </button>
      </Notice>
    );
  const { data } = query;
  const facts = [
    ["version", data?.version],
    ["started", data && <Time atS={data.start_time} />],
    ["database", data && (DATABASES[data.database_type] ?? data.database_type)],
    ["node", data?.node_version],
  ] as const;
  const proxy = data?.untrusted_proxy;
  return (
    <>
      <dl className={styles.facts} aria-busy={data === undefined}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{t(`system.${name}`)}</dt>
            <dd>{value ?? "–"}</dd>
          </div>
        ))}
      </dl>
      {proxy !== undefined && (
        <Notice tone="amber">
          {t(proxy.is_private ? "system.untrustedProxy" : "system.untrustedAddress", { address: proxy.address })}
        </Notice>
      )}
    </>
  );
}

function Found({ found }: { found: UpdateCheck }) {
  const { t } = useTranslation("options");
  const { relation, latest, current, name, notes, url } = found;
  return (
    <div className={styles.result} role="status">
      <Notice tone={relation === "newer" ? "amber" : "blue"}>
        {t(`update.${relation}`, { latest, current })}{" "}
        {url !== "" && (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {t("update.page")}
          </a>
        )}
      </Notice>
      {notes !== "" && relation !== "same" && (
        <div className={styles.notes} role="region" aria-label={t("update.notes")} tabIndex={0}>
          {name !== "" && <h3>{name}</h3>}
          <Suspense fallback={null}>
            <OperatorText content={{ kind: "markdown", text: notes }} />
          </Suspense>
        </div>
      )}
    </div>
  );
}

export function SystemInfo({ draft }: { draft: SectionDraft }) {
  const { t } = useTranslation("options");
  const { row, isDirty } = draft.option("UpdateCheckUrl");
  const check = useMutation({
    mutationFn: () => call(checkForUpdate, {}),
    meta: { showsOwnError: true },
  });
  const isOff = row.value === "";
  return (
    <>
      <Facts />
      <div className={styles.row}>
        <div className={styles.words}>
          <div className={styles.label}>{t("update.label")}</div>
          <p className={styles.help}>
            {isDirty ? t("update.saveFirst") : t(isOff ? "update.off" : "update.help", { address: row.value })}
          </p>
        </div>
        <BusyButton isBusy={check.isPending} disabled={isOff || isDirty} onClick={() => check.mutate()}>
          {t("update.check")}
        </BusyButton>
        {check.error !== null && (
          <div className={styles.result}>
            <Notice tone="red">{check.error.message}</Notice>
          </div>
        )}
        {check.data !== undefined && <Found found={check.data} />}
      </div>
    </>
  );
}
