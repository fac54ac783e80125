/** The own balance, the used quota, and the number of calls: on the personal page and in the wallet. */
import type { ReactNode } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { SelfRow } from "../../../../contract/src/features/personal.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { Card, Fact, Facts } from "./card.tsx";
import { Quota } from "./quota.tsx";

type Balance = Pick<SelfRow, "quota" | "used_quota" | "request_count">;

/** @param forecast a line under the amounts: how long the balance lasts */
export function BalanceCard({ account, forecast }: { account: Balance; forecast?: ReactNode }) {
  const { t } = useTranslation("ui");
  useStatus();
  return (
    <Card
      title={t("balance.title")}
      text={account.quota < 0 && t("balance.owed", { amount: formatQuota(0 - account.quota) })}
    >
      <Facts>
        <Fact name={t("balance.left")} isLarge>
          <Quota quota={account.quota} />
        </Fact>
        <Fact name={t("balance.used")} isLarge>
          <Quota quota={account.used_quota} />
        </Fact>
        <Fact name={t("balance.calls")} isLarge>
          {formatNumber(account.request_count)}
        </Fact>
      </Facts>
      {forecast}
    </Card>
  );
}
