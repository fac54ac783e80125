/** The daily check-in of the wallet: claims today's quota, and shows the days of this month. */
import { IconCalendarCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../lib/i18n.ts";
import type { CheckinStatus } from "../../../../contract/src/features/wallet.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card, CardGhost, Fact, Facts } from "../../ui/display/card.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { useHumanCheck } from "../../ui/form/use-human-check.tsx";
import { checkinQuery, useCheckIn } from "./queries.ts";
import styles from "./wallet.module.css";

/** "$0.01" or "$0.01 – $0.02": what a check-in is worth. */
function worthOf({ min_quota: least, max_quota: most }: CheckinStatus): string {
  return least === most ? formatQuota(least) : `${formatQuota(least)} – ${formatQuota(most)}`;
}

/** Shown where the site has the check-in enabled. @param isMain whether it is what people come to this page for */
export function CheckinCard({ isMain }: { isMain: boolean }) {
  const { t } = useTranslation("wallet");
  const status = useQuery(checkinQuery);
  if (status.isPending) return <CardGhost heightPx={160} />;
  if (status.data === undefined)
    return <ErrorState title={t("checkin.notLoaded")} error={status.error} onRetry={() => void status.refetch()} />;
  return <Loaded status={status.data} isMain={isMain} />;
}

function Loaded({ status, isMain }: { status: CheckinStatus; isMain: boolean }) {
  const { t } = useTranslation("wallet");
  const { stats } = status;
  const check = useHumanCheck();
  const claim = useCheckIn();
  const submit = async () => {
    try {
      const quota = await claim.mutateAsync(check.token);
      toast.success(t("checkin.done"), t("checkin.added", { amount: formatQuota(quota) }));
    } catch (failure) {
      toast.error(failure, t("checkin.failed"));
    } finally {
      check.renew();
    }
  };
  return (
    <Card title={t("checkin.title")} text={t("checkin.text", { amount: worthOf(status), zone: status.time_zone })}>
      {!stats.checked_in_today && check.widget}
      <div className={styles.line}>
        <BusyButton
          variant={isMain ? "filled" : "default"}
          leftSection={<IconCalendarCheck size={15} stroke={1.5} />}
          isBusy={claim.isPending}
          disabled={stats.checked_in_today || check.isPending}
          onClick={() => void submit()}
        >
          {t(stats.checked_in_today ? "checkin.doneToday" : "checkin.submit")}
        </BusyButton>
      </div>
      <Facts>
        <Fact name={t("checkin.thisMonth")}>{formatNumber(stats.checkin_count)}</Fact>
        <Fact name={t("checkin.inAll")}>{formatNumber(stats.total_checkins)}</Fact>
        <Fact name={t("checkin.total")}>
          <Quota quota={stats.total_quota} />
        </Fact>
      </Facts>
    </Card>
  );
}
