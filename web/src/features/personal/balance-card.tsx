/** What is left on the own account, what was used, and in how many calls. */
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../lib/format.ts";
import { Quota } from "../../ui/display/quota.tsx";
import { Card, Fact, Facts } from "../../ui/display/card.tsx";
import type { Account } from "./queries.ts";

export function BalanceCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  return (
    <Card title={t("balance.title")}>
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
    </Card>
  );
}
