/** The tab of price changes: those that wait for their date, what became of others, and the way back to earlier prices. */
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { StoredPriceChange } from "../../../../../contract/src/pricing/price-changes.ts";
import { refusalText } from "../../../lib/api.ts";
import { formatDateTime, formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Tag, type TagTone } from "../../../ui/display/tags.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../../ui/feedback/loading-bars.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import styles from "./changes.module.css";
import { changesQuery, useCancelChange, versionsQuery } from "./queries.ts";
import { VersionLine } from "./version-line.tsx";

const TONES: Readonly<Record<StoredPriceChange["state"], TagTone>> = {
  waiting: "blue",
  applied: "green",
  cancelled: "neutral",
  failed: "red",
};

/** "gpt-5, gpt-5-mini and 3 more; groups: vip" */
function useWhat({ models, model_count, groups }: StoredPriceChange): string {
  const { t } = useTranslation("prices");
  const more = model_count - models.length;
  const named = models.map(visible).join(", ");
  return [
    ...(models.length === 0 ? [] : [more > 0 ? t("changes.more", { models: named, count: more }) : named]),
    ...(groups.length === 0 ? [] : [t("changes.groups", { groups: groups.map(visible).join(", ") })]),
  ].join("; ");
}

function ChangeLine({ change, onEnded }: { change: StoredPriceChange; onEnded: () => void }) {
  const { t } = useTranslation("prices");
  const cancel = useCancelChange();
  const time = formatDateTime(change.state === "waiting" ? change.apply_time : change.ended_time);
  const what = useWhat(change);
  const notified = { count: change.notified, formatted: formatNumber(change.notified) };
  const stop = async () => {
    const question = {
      title: t("changes.cancelTitle"),
      text: t("changes.cancelText", { what, time }),
      action: t("changes.cancel"),
      tone: "danger",
    } as const;
    if (await confirm(question)) cancel.mutate(change.id, { onSuccess: onEnded });
  };
  return (
    <li className={styles.line}>
      <Tag tone={TONES[change.state]}>{t(`changes.state.${change.state}`)}</Tag>
      <span className={styles.what}>
        {what}
        <span className={styles.faint}>
          {" "}
          {t(change.state === "waiting" ? "changes.from" : "changes.ended", { time })}
          {change.created_by !== "" && ` · ${visible(change.created_by)}`}
          {change.notify !== "" && ` · ${t(`changes.notice.${change.notify}`, notified)}`}
          {change.failure !== "" && ` · ${refusalText(change.failure) ?? change.failure}`}
        </span>
      </span>
      {change.state === "waiting" && (
        <BusyButton isBusy={cancel.isPending} onClick={() => void stop()}>
          {t("changes.cancel")}
        </BusyButton>
      )}
      {cancel.error !== null && <Notice tone="red">{cancel.error.message}</Notice>}
    </li>
  );
}

export function ChangesPanel() {
  const { t } = useTranslation("prices");
  const changes = useQuery(changesQuery);
  const versions = useQuery(versionsQuery);
  // What was pressed goes with its line: the list takes the focus.
  const place = useRef<HTMLDivElement>(null);
  const focus = () => place.current?.focus();
  const error = changes.error ?? versions.error;
  if (changes.data === undefined || versions.data === undefined)
    return error === null ? (
      <div className={styles.panel}>
        <LoadingBars label={t("changes.title")} />
      </div>
    ) : (
      <ErrorState
        title={t("changes.notLoaded")}
        error={error}
        onRetry={() => void Promise.all([changes.refetch(), versions.refetch()])}
      />
    );
  return (
    <div className={styles.panel} ref={place} tabIndex={-1}>
      <section aria-label={t("changes.title")}>
        <h2 className={styles.heading}>{t("changes.title")}</h2>
        {changes.data.length === 0 && <p className={styles.faint}>{t("changes.none")}</p>}
        <ul className={styles.list}>
          {changes.data.map((change) => (
            <ChangeLine key={change.id} change={change} onEnded={focus} />
          ))}
        </ul>
      </section>
      <section aria-label={t("changes.versions")}>
        <h2 className={styles.heading}>{t("changes.versions")}</h2>
        <p className={styles.faint}>{t(versions.data.length === 0 ? "changes.noVersions" : "changes.versionsText")}</p>
        <ul className={styles.list}>
          {versions.data.map((version) => (
            <VersionLine key={version.id} version={version} onBack={focus} />
          ))}
        </ul>
      </section>
    </div>
  );
}
