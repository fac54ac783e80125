/** The own orders of the wallet: time, amount, price, method and state, and continuing one that is not paid. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { OwnOrder } from "../../../../contract/src/payments/orders.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Copy } from "../../ui/display/copy.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Time } from "../../ui/display/time.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { ErrorState, NotRefreshed } from "../../ui/feedback/empty.tsx";
import { OrderState, useMethodName, useMoney, useRefunds } from "./order-parts.tsx";
import type { BegunPayment } from "./payment.ts";
import { ownOrdersQuery, useCancelOrder, useContinueOrder } from "./queries.ts";
import styles from "./wallet.module.css";

interface OrdersProps {
  /** Called with where the buyer goes to pay, or what they scan; may throw. */
  onBegun: (begun: BegunPayment) => void;
}

/** Going on with an order that is not paid, or giving it up; a failure stands below its buttons. */
function OrderActs({ order, onBegun }: OrdersProps & { order: OwnOrder }) {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  const again = useContinueOrder();
  const cancel = useCancelOrder();
  const [failure, setFailure] = useState<unknown>();
  // Set by the click itself: a mutation says a moment later that it runs.
  const [act, setAct] = useState<"continue" | "cancel">();
  const run = async (name: "continue" | "cancel", work: () => Promise<void>) => {
    if (act !== undefined) return;
    setAct(name);
    setFailure(undefined);
    await work().catch(setFailure);
    setAct(undefined);
  };
  const onContinue = () => run("continue", async () => onBegun(await again.mutateAsync(order.id)));
  const onCancel = async () => {
    const question = {
      title: t("orders.cancelTitle"),
      text: t("orders.cancelText", { money: money(order.money, order.currency) }),
      action: t("orders.cancel"),
      keep: t("orders.keep"),
    };
    if (await confirm(question)) await run("cancel", async () => void (await cancel.mutateAsync(order.id)));
  };
  return (
    <span className={styles.orderActs}>
      <BusyButton size="compact-sm" isBusy={act === "continue"} onClick={() => void onContinue()}>
        {t("orders.continue")}
      </BusyButton>
      <BusyButton size="compact-sm" variant="subtle" isBusy={act === "cancel"} onClick={() => void onCancel()}>
        {t("orders.cancel")}
      </BusyButton>
      {failure !== undefined && (
        <span className={styles.orderFailure} role="alert">
          {describeError(failure).message}
        </span>
      )}
    </span>
  );
}

function Order({ order, onBegun }: OrdersProps & { order: OwnOrder }) {
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
      {order.status === "pending" && <OrderActs order={order} onBegun={onBegun} />}
    </li>
  );
}

/** The list under its heading, in whichever state it is. */
function Orders({ onBegun }: OrdersProps) {
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
          <Order key={order.id} order={order} onBegun={onBegun} />
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

/** Newest first. */
export function OwnOrders({ onBegun }: OrdersProps) {
  const { t } = useTranslation("wallet");
  return (
    <Card title={t("orders.title")} text={t("orders.text")}>
      <Orders onBegun={onBegun} />
    </Card>
  );
}
