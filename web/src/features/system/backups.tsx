/** The card of backups: where they go, what is there, and one that is made now; none is ever sent to a browser. */
import type { BackupDestination } from "../../../../contract/src/features/system.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Progress } from "../../ui/display/progress.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { formatBytes, PartFailure, TimeOrNone } from "./part.tsx";
import { useBackUpNow } from "./queries.ts";
import stacked from "../../ui/display/stacked-rows.module.css";
import styles from "./system.module.css";

const SHOWN = 10;

function Running({ progress }: { progress: NonNullable<BackupDestination["progress"]> }) {
  const { t } = useTranslation("system");
  const percent = progress.total === 0 ? 0 : Math.min(99, Math.floor((100 * progress.rows) / progress.total));
  const rows = { rows: formatNumber(progress.rows), total: formatNumber(progress.total) };
  return (
    <div className={styles.running}>
      <Progress percent={percent} label={t(`backups.${progress.step}`)} />
      <span>{t(`backups.${progress.step}Rows`, rows)}</span>
    </div>
  );
}

function Files({ destination: { files, files_failure } }: { destination: BackupDestination }) {
  const { t } = useTranslation("system");
  if (files === null) return <PartFailure failure={files_failure} />;
  if (files.length === 0) return <p className={styles.none}>{t("backups.none")}</p>;
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={t("backups.files")}>
      <table className={`${styles.table} ${stacked.stacked}`}>
        <thead>
          <tr>
            <th scope="col">{t("backups.file")}</th>
            <th scope="col" data-numeric>
              {t("backups.size")}
            </th>
            <th scope="col">{t("backups.age")}</th>
          </tr>
        </thead>
        <tbody>
          {files.slice(0, SHOWN).map(({ file, bytes, time }) => (
            <tr key={file}>
              <td className="mono">{file}</td>
              <td data-numeric data-label={t("backups.size")}>
                {formatBytes(bytes)}
              </td>
              <td data-label={t("backups.age")}>
                <Time atS={time} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {files.length > SHOWN && <p className={styles.none}>{t("backups.more", { count: files.length - SHOWN })}</p>}
    </div>
  );
}

function Destination({ destination }: { destination: BackupDestination }) {
  const { t } = useTranslation("system");
  const backUp = useBackUpNow();
  const { name, shown, finished_time, failure, is_requested: isRequested, progress } = destination;
  const isBusy = backUp.isPending || isRequested || progress !== null;
  const start = (): void => backUp.mutate(name, { onSuccess: () => toast.success(t("backups.requested")) });
  return (
    <div className={styles.destination}>
      <div className={styles.destinationHead}>
        <div className={styles.place}>
          <h3>{t(`backups.${name}`)}</h3>
          <span className="mono">{visible(shown)}</span>
          <span>
            {t("backups.last")}
            <TimeOrNone atS={finished_time} />
          </span>
        </div>
        <BusyButton variant="default" size="xs" isBusy={isBusy} onClick={start}>
          {t("backups.now")}
        </BusyButton>
      </div>
      {progress !== null && <Running progress={progress} />}
      {progress === null && isRequested && <p className={styles.none}>{t("backups.waiting")}</p>}
      {failure !== "" && <Notice tone="red">{t("backups.failed", { reason: visible(failure) })}</Notice>}
      <Files destination={destination} />
    </div>
  );
}

export function BackupsCard({ part }: { part: { data: BackupDestination[] | null; failure: string } }) {
  const { t } = useTranslation("system");
  return (
    <Card title={t("backups.title")} text={t("backups.text")}>
      {part.data === null && <PartFailure failure={part.failure} />}
      {part.data?.length === 0 && <Notice tone="amber">{t("backups.off")}</Notice>}
      {part.data?.map((destination) => (
        <Destination key={destination.name} destination={destination} />
      ))}
    </Card>
  );
}
