/** The wallet: the balance, codes to redeem, quota to buy, and the own orders. */
import { Button } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { SelfRow } from "../../../../contract/src/features/personal.ts";
import { formatNumber } from "../../lib/format.ts";
import { useSearchState } from "../../lib/search.ts";
import { BalanceCard } from "../../ui/display/balance-card.tsx";
import { Card, CardColumn, CardColumns, CardGhost, Fact, Facts } from "../../ui/display/card.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { OwnOrders } from "./own-orders.tsx";
import { accountQuery, walletQuery } from "./queries.ts";
import { RedeemCard } from "./redeem-card.tsx";
import { ReturnedOrder } from "./returned-order.tsx";
import { walletSearch } from "./route.ts";
import { TopUpCard } from "./top-up-card.tsx";

/** What inviting people earned; it is moved to the balance where the invitations are. */
function RewardsCard({ account }: { account: SelfRow }) {
  const { t } = useTranslation("wallet");
  return (
    <Card
      title={t("rewards.title")}
      text={t("rewards.text")}
      action={
        <Button component={Link} to="/personal" rightSection={<IconArrowRight size={14} stroke={1.5} />}>
          {t("rewards.open")}
        </Button>
      }
    >
      <Facts>
        <Fact name={t("rewards.left")}>
          <Quota quota={account.aff_quota} />
        </Fact>
        <Fact name={t("rewards.count")}>{formatNumber(account.aff_count)}</Fact>
      </Facts>
    </Card>
  );
}

export function WalletPage() {
  const { t } = useTranslation("wallet");
  const [search, change] = useSearchState(walletSearch);
  const account = useQuery(accountQuery);
  const wallet = useQuery(walletQuery);
  const close = () => change({ order: undefined }, "replace");
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      {search.order !== undefined && <ReturnedOrder key={search.order} id={search.order} onClose={close} />}
      <CardColumns>
        <CardColumn>
          {account.data !== undefined && <BalanceCard account={account.data} />}
          {account.isPending && <CardGhost heightPx={118} />}
          {account.isError && account.data === undefined && (
            <ErrorState title={t("balance.notLoaded")} error={account.error} onRetry={() => void account.refetch()} />
          )}
          <RedeemCard wallet={wallet.data} />
          {account.data !== undefined && <RewardsCard account={account.data} />}
          {account.isPending && <CardGhost heightPx={140} />}
        </CardColumn>
        <CardColumn>
          {wallet.data !== undefined && <TopUpCard wallet={wallet.data} />}
          {wallet.isPending && <CardGhost heightPx={330} />}
          {wallet.isError && wallet.data === undefined && (
            <ErrorState title={t("topUp.notLoaded")} error={wallet.error} onRetry={() => void wallet.refetch()} />
          )}
          <OwnOrders />
        </CardColumn>
      </CardColumns>
    </Page>
  );
}
