/** The card of checks: what is not right first, each with its repair. */
import { useQuery } from "@tanstack/react-query";
import type { SystemCheck } from "../../../../contract/src/features/system.ts";
import { hasText, useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { type DotTone, StatusDot } from "../../ui/display/tags.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { checksQuery } from "./queries.ts";
import styles from "./system.module.css";

const TONES: Readonly<Record<SystemCheck["status"], DotTone>> = { ok: "green", warn: "amber", fail: "red" };
const ORDER: Readonly<Record<SystemCheck["status"], number>> = { fail: 0, warn: 1, ok: 2 };

/** A check of a newer server keeps its own name. */
function useCheckName(): (name: string) => string {
  const { t } = useTranslation("system");
  return (name) => (hasText(`system:check.${name}`) ? t(`check.${name}`) : name);
}

function Check({ check: { name, status, finding, repair } }: { check: SystemCheck }) {
  const { t } = useTranslation("system");
  const nameOf = useCheckName();
  return (
    <li className={styles.check} data-status={status}>
      <span className={styles.checkName}>{nameOf(name)}</span>
      <StatusDot tone={TONES[status]}>{t(`status.${status}`)}</StatusDot>
      {/* The server's own words, as the command prints them. */}
      <span className={styles.finding} lang="en">
        {visible(finding)}
        {repair !== "" && <span className={styles.repair}>{visible(repair)}</span>}
      </span>
    </li>
  );
}

function Checks({ checks }: { checks: readonly SystemCheck[] }) {
  const sorted = checks.toSorted((one, other) => ORDER[one.status] - ORDER[other.status]);
  return (
    <ul className={styles.checks}>
      {sorted.map((check) => (
        <Check key={`${check.name} ${check.finding}`} check={check} />
      ))}
    </ul>
  );
}

export function ChecksCard() {
  const { t } = useTranslation("system");
  const { data, error, isFetching, refetch } = useQuery(checksQuery);
  const again = (): void => void refetch();
  return (
    <Card
      title={t("checks.title")}
      text={t("checks.text")}
      action={
        <BusyButton variant="default" size="xs" isBusy={isFetching} onClick={again}>
          {t("checks.again")}
        </BusyButton>
      }
    >
      {data === undefined && error === null && <LoadingBars height={32} label={t("loading")} />}
      {data === undefined && error !== null && (
        <ErrorState title={t("checks.notLoaded")} error={error} onRetry={again} />
      )}
      {data !== undefined && <Checks checks={data} />}
    </Card>
  );
}
