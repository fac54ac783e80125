/** The details of an order, for administrators: its numbers at the provider, its refunds, and who completed it. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ManagedOrder, OrderDetails } from "../../../../../contract/src/payments/orders.ts";
import { formatQuota } from "../../../lib/format.ts";
import { Copy } from "../../../ui/display/copy.tsx";
import { Name } from "../../../ui/display/name.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { SideDrawer } from "../../../ui/form/form-drawer.tsx";
import { OrderState, useMethodName, useMoney, useRefunds } from "../order-parts.tsx";
import { orderQuery } from "../queries.ts";
import styles from "../wallet.module.css";
import { Buyer, OrderNumber, canComplete } from "./columns.tsx";

const Reference = ({ text }: { text: string }) => (
  <Copy text={text} isIconShown>
    <span className="mono">{text}</span>
  </Copy>
);

/** Name and value of each fact that there is. */
function useFacts(order: OrderDetails): (readonly [string, ReactNode])[] {
  const { t } = useTranslation("wallet");
  const nameOf = useMethodName();
  const money = useMoney();
  const back = useRefunds()(order);
  const { provider_reference, payment_reference, dispute_status, completed_by, completed_time, taken_back, owed } =
    order;
  const facts: readonly (readonly [string, ReactNode] | false)[] = [
    [t("columns.user"), <Buyer key="buyer" order={order} />],
    [t("columns.number"), <OrderNumber key="number" order={order} />],
    [t("columns.method"), nameOf(order.method)],
    [t("columns.money"), money(order.money, order.currency)],
    [t("columns.quota"), <Quota key="quota" quota={order.quota} />],
    [t("columns.created"), <Time key="created" atS={order.created_time} as="full" />],
    completed_time > 0 && [t("columns.completed"), <Time key="completed" atS={completed_time} as="full" />],
    completed_by !== "" && [t("details.completedBy"), <Name key="by" text={completed_by} />],
    provider_reference !== "" && [t("details.reference"), <Reference key="reference" text={provider_reference} />],
    payment_reference !== "" && [t("details.payment"), <Reference key="payment" text={payment_reference} />],
    back !== "" && [t("columns.back"), back],
    taken_back > 0 && [t("details.takenBack"), <Quota key="taken" quota={taken_back} />],
    taken_back > 0 && owed > 0 && [t("details.owed"), <Quota key="owed" quota={owed} />],
    dispute_status !== "" && [t("details.dispute"), t(`dispute.${dispute_status}`)],
  ];
  return facts.filter((fact) => fact !== false);
}

function Facts({ order }: { order: OrderDetails }) {
  return (
    <dl className={styles.facts}>
      {useFacts(order).map(([name, value]) => (
        <div className={styles.factRow} key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The provider's reports on the order's money since it was paid. */
function History({ order: { history, currency } }: { order: OrderDetails }) {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  return (
    <section aria-label={t("history.title")}>
      <h3 className={styles.historyTitle}>{t("history.title")}</h3>
      <ol className={styles.history}>
        {history.map((event, index) => (
          <li key={index}>
            <span className={styles.historyWhat}>
              <b>{t(`history.${event.kind}.${event.status}`, { money: money(event.money, currency) })}</b>
              {event.quota !== 0 && (
                <span>
                  {t(event.quota < 0 ? "history.taken" : "history.given", {
                    amount: formatQuota(Math.abs(event.quota)),
                  })}
                </span>
              )}
              <Reference text={event.reference} />
            </span>
            <Time atS={event.time} />
          </li>
        ))}
      </ol>
    </section>
  );
}

export function DetailsDrawer({
  id,
  onClose,
  onComplete,
}: {
  id: number;
  onClose: () => void;
  onComplete: (order: ManagedOrder) => void;
}) {
  const { t } = useTranslation("wallet");
  const query = useQuery(orderQuery(id));
  const order = query.data;
  return (
    <SideDrawer
      isOpen
      onClose={onClose}
      title={t("details.title")}
      beside={order && <OrderState status={order.status} />}
      foot={
        order !== undefined &&
        canComplete(order) && <Button onClick={() => onComplete(order)}>{t("complete.word")}</Button>
      }
    >
      {order !== undefined && <Facts order={order} />}
      {order !== undefined && order.history.length > 0 && <History order={order} />}
      {order === undefined && query.isError && (
        <ErrorState title={t("details.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && (
        <p role="status" className={styles.hint}>
          {t("details.loading")}
        </p>
      )}
    </SideDrawer>
  );
}
