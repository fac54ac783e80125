/** The page of the system, the super administrator's: checks with their repairs, versions, database, disk, processes, jobs, backups and the support bundle. */
import { useQuery } from "@tanstack/react-query";
import type { SystemFacts } from "../../../../contract/src/features/system.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { CardColumn, CardColumns, CardGhost } from "../../ui/display/card.tsx";
import { ErrorState, NotRefreshed } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { BackupsCard } from "./backups.tsx";
import { BundleCard } from "./bundle.tsx";
import { ChecksCard } from "./checks.tsx";
import { DatabaseCard, DiskCard, JobsCard, ProcessesCard, TablesCard } from "./facts.tsx";
import { checksQuery, factsQuery } from "./queries.ts";
import styles from "./system.module.css";

function FactCards({ facts }: { facts: SystemFacts }) {
  return (
    <>
      <ProcessesCard facts={facts} />
      <div className={styles.columns}>
        <CardColumns>
          <CardColumn>
            <DatabaseCard facts={facts} />
            <DiskCard facts={facts} />
            <BackupsCard part={facts.backups} />
          </CardColumn>
          <CardColumn>
            <TablesCard facts={facts} />
          </CardColumn>
        </CardColumns>
      </div>
      <JobsCard facts={facts} />
    </>
  );
}

export function SystemPage() {
  const { t } = useTranslation("system");
  const { data, error, refetch } = useQuery(factsQuery);
  const checks = useQuery(checksQuery);
  // Nothing stands below the checks until they are in, or their rows would move it.
  const isChecked = !checks.isPending;
  const isSettled = isChecked && (data !== undefined || error !== null);
  const again = (): void => void refetch();
  return (
    <Page
      title={t("title")}
      purpose={t("purpose")}
      info={error !== null && data !== undefined ? <NotRefreshed onRetry={again} /> : undefined}
    >
      <div className={styles.content}>
        <ChecksCard />
        {isChecked && !isSettled && <CardGhost heightPx={240} />}
        {isSettled && data === undefined && <ErrorState title={t("notLoaded")} error={error} onRetry={again} />}
        {isSettled && data !== undefined && <FactCards facts={data} />}
        {isSettled && <BundleCard />}
      </div>
    </Page>
  );
}
