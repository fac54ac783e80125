/** Spend, errors and times of what is filtered and the rates of the last minute, right of the title. */
import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { LOG_TIMED_CALLS, type LogStat } from "../../../../contract/src/features/logs.ts";
import { formatDateTime, formatDurationMs, formatNumber, formatShort } from "../../lib/format.ts";
import { sentences } from "../../lib/translate.ts";
import { Quota } from "../../ui/display/quota.tsx";
import styles from "./logs.module.css";

const Stat = ({ label, leaves, children }: { label: string; leaves?: "first" | "second"; children: ReactNode }) => (
  <div className={styles.stat} data-leaves={leaves}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const Hinted = ({ hint, children }: { hint: string; children: ReactNode }) => (
  <Tooltip label={hint} multiline maw={320}>
    <span>{children}</span>
  </Tooltip>
);

/** "1.2 s / 8.4 s": half of the calls took no longer than the first, 95 of a hundred no longer than the second. */
function Times({ times, stat }: { times: LogStat["total_time"]; stat: LogStat }) {
  const { t } = useTranslation("logs");
  if (times.calls === 0) return <span className={styles.noStat}>–</span>;
  const values = {
    p50: formatDurationMs(times.p50),
    p95: formatDurationMs(times.p95),
    formatted: formatNumber(times.calls),
  };
  const hints = [
    t(stat.is_sample ? "stats.timesSample" : "stats.times", { ...values, count: times.calls, limit: LOG_TIMED_CALLS }),
    ...(stat.searched_since > 0 ? [t("stats.since", { time: formatDateTime(stat.searched_since) })] : []),
  ];
  return (
    <Hinted hint={sentences(...hints)}>
      {values.p50} / {values.p95}
    </Hinted>
  );
}

function Errors({ stat }: { stat: LogStat }) {
  const { t } = useTranslation("logs");
  if (stat.errors === 0) return <span className={styles.noStat}>0</span>;
  const shown = stat.errors_are_capped
    ? t("stats.moreThan", { formatted: formatNumber(stat.errors) })
    : formatShort(stat.errors);
  return (
    <Hinted hint={t("stats.errorsLong", { count: stat.errors, formatted: formatNumber(stat.errors) })}>
      <span className={styles.failure}>{shown}</span>
    </Hinted>
  );
}

const Short = ({ label, value }: { label: string; value: number }) => (
  <Hinted hint={`${formatNumber(value)} ${label}`}>{formatShort(value)}</Hinted>
);

/** `stat` is undefined until it was loaded once; its place is kept. */
export function Stats({ stat }: { stat: LogStat | undefined }) {
  const { t } = useTranslation("logs");
  const shown = (draw: (loaded: LogStat) => ReactNode) =>
    stat === undefined ? <span className={styles.noStat}>–</span> : draw(stat);
  return (
    <dl className={styles.stats}>
      <Stat label={t("stats.spend")}>
        {shown(({ quota }) => (
          <span className={quota === 0 ? styles.noStat : styles.money}>
            <Quota quota={quota} />
          </span>
        ))}
      </Stat>
      <Stat label={t("stats.errors")}>
        {shown((loaded) => (
          <Errors stat={loaded} />
        ))}
      </Stat>
      <Stat label={t("stats.totalTime")} leaves="second">
        {shown((loaded) => (
          <Times times={loaded.total_time} stat={loaded} />
        ))}
      </Stat>
      <Stat label={t("stats.firstToken")} leaves="first">
        {shown((loaded) => (
          <Times times={loaded.first_token} stat={loaded} />
        ))}
      </Stat>
      <Stat label={t("stats.rpm")}>
        {shown(({ rpm }) => (
          <Short label={t("stats.rpmLong")} value={rpm} />
        ))}
      </Stat>
      <Stat label={t("stats.tpm")}>
        {shown(({ tpm }) => (
          <Short label={t("stats.tpmLong")} value={tpm} />
        ))}
      </Stat>
    </dl>
  );
}
