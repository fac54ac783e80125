/** The own orders, newest first: when, how much for how much, by which way, and what became of them. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { OwnOrder } from "../../../../contract/src/features/wallet.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Copy } from "../../ui/display/copy.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Time } from "../../ui/display/time.tsx";
import { ErrorState, NotRefreshed } from "../../ui/feedback/empty.tsx";
import { OrderState, useMethodName, useMoney, useRefunds } from "./order-parts.tsx";
import { ownOrdersQuery } from "./queries.ts";
import styles from "./wallet.module.css";

function Order({ order }: { order: OwnOrder }) {
  const { t } = useTranslation("wallet");
  const nameOf = useMethodName();
  const money = useMoney();
  const back = useRefunds()(order);
  return (
    <li className={styles.order}>
      <span className={styles.orderWhat}>
        <b>
          <Quota quota={order.quota} />
        </b>
        <span>{t("orders.for", { money: money(order.money, order.currency), method: nameOf(order.method) })}</span>
        {back !== "" && <span className={styles.orderBack}>{back}</span>}
      </span>
      <span className={styles.orderNumber}>
        <Copy text={order.trade_no} label={t("orders.copyNumber")}>
          <span className="mono">{order.trade_no}</span>
        </Copy>
      </span>
      <span className={styles.orderState}>
        <OrderState status={order.status} />
        <Time atS={order.created_time} />
      </span>
    </li>
  );
}

/** The list under its heading, in whichever state it is. */
function Orders() {
  const { t } = useTranslation("wallet");
  const query = useInfiniteQuery(ownOrdersQuery);
  const orders = query.data?.pages.flatMap(({ items }) => items) ?? [];
  if (query.isPending) return <div className={styles.ordersGhost} aria-busy />;
  if (query.isError && query.data === undefined)
    return <ErrorState title={t("orders.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  if (orders.length === 0) return <p className={styles.hint}>{t("orders.none")}</p>;
  return (
    <>
      {query.isRefetchError && <NotRefreshed onRetry={() => void query.refetch()} />}
      <ul className={styles.orders}>
        {orders.map((order) => (
          <Order key={order.id} order={order} />
        ))}
      </ul>
      {query.hasNextPage && (
        <div>
          <BusyButton isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("orders.more")}
          </BusyButton>
        </div>
      )}
    </>
  );
}

export function OwnOrders() {
  const { t } = useTranslation("wallet");
  return (
    <Card title={t("orders.title")} text={t("orders.text")}>
      <Orders />
    </Card>
  );
}
