/** The card of checks: failed ones first, each with its repair. */
import { useQuery } from "@tanstack/react-query";
import type { SystemCheck } from "../../../../contract/src/features/system.ts";
import { formatNumber, formatRelativeSeconds } from "../../lib/format.ts";
import { hasText, useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { type DotTone, StatusDot } from "../../ui/display/tags.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { ENGINES, formatBytes } from "./part.tsx";
import { checksQuery } from "./queries.ts";
import styles from "./system.module.css";

const TONES: Readonly<Record<SystemCheck["status"], DotTone>> = { ok: "green", warn: "amber", fail: "red" };
const ORDER: Readonly<Record<SystemCheck["status"], number>> = { fail: 0, warn: 1, ok: 2 };

/** A check of a newer server keeps its own name. */
function useCheckName(): (name: string) => string {
  const { t } = useTranslation("system");
  return (name) => (hasText(`system:check.${name}`) ? t(`check.${name}`) : name);
}

type Values = SystemCheck["values"];

/** A number as its name says what it is of, in the words of the language. */
function shown([name, value]: [string, string | number]): [string, string] {
  if (typeof value === "string") return [name, (name === "engine" ? ENGINES[value] : undefined) ?? visible(value)];
  if (name.endsWith("_bytes")) return [name, formatBytes(value)];
  if (name.endsWith("_seconds")) return [name, formatRelativeSeconds(-value)];
  return [name, name.endsWith("_count") ? formatNumber(value) : String(value)];
}

/** The console's own sentence for a code; of a newer server's that it does not know, the server's English. */
function useSentence(): (part: "finding" | "repair", code: string, values: Values, english: string) => string {
  const { t } = useTranslation("system.checks");
  return (part, code, values, english) =>
    hasText(`system.checks:${part}.${code}`)
      ? t(`${part}.${code}`, Object.fromEntries(Object.entries(values).map(shown)))
      : visible(english);
}

function Check({ check }: { check: SystemCheck }) {
  const { name, status, code, repair_code: repairCode, values } = check;
  const { t } = useTranslation("system");
  const sentence = useSentence();
  const nameOf = useCheckName();
  return (
    <li className={styles.check} data-status={status}>
      <span className={styles.checkName}>{nameOf(name)}</span>
      <StatusDot tone={TONES[status]}>{t(`status.${status}`)}</StatusDot>
      <span className={styles.finding}>
        {sentence("finding", code, values, check.finding)}
        {check.repair !== "" && (
          <span className={styles.repair}>{sentence("repair", repairCode, values, check.repair)}</span>
        )}
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
