/** The columns of the table of all orders and what stands in their cells. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ManagedOrder, OrderStatus } from "../../../../../contract/src/payments/orders.ts";
import type { Column } from "../../../ui/data-table/columns.ts";
import { Copy } from "../../../ui/display/copy.tsx";
import { Name } from "../../../ui/display/name.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { Faint } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { OrderState, useMethodName, useMoney, useRefunds } from "../order-parts.tsx";
import { QUIET_LINK } from "../../../ui/plain.tsx";
import styles from "../wallet.module.css";

const COMPLETABLE: ReadonlySet<OrderStatus> = new Set(["pending", "ended", "cancelled", "failed", "uncredited"]);

/** Those that are not paid as far as the provider reported (still open, given up, past their day, or failed), and those that are not in the balance. */
export const canComplete = ({ status }: Pick<ManagedOrder, "status">): boolean => COMPLETABLE.has(status);

/** The buyer's name, which leads to their page. */
export function Buyer({ order }: { order: ManagedOrder }) {
  return (
    <Link {...QUIET_LINK} to="/user/$id" params={{ id: String(order.user_id) }}>
      <Name text={order.username} />
    </Link>
  );
}

export function OrderNumber({ order }: { order: ManagedOrder }) {
  const { t } = useTranslation("wallet");
  return (
    <Copy text={order.trade_no} label={t("orders.copyNumber")}>
      <span className="mono">{order.trade_no}</span>
    </Copy>
  );
}

export function OrderMoney({ order }: { order: ManagedOrder }) {
  const money = useMoney();
  return <span className={styles.money}>{money(order.money, order.currency)}</span>;
}

function Refunds({ order }: { order: ManagedOrder }) {
  const back = useRefunds()(order);
  return back === "" ? <Faint>–</Faint> : <span className={styles.orderBack}>{back}</span>;
}

function Method({ order }: { order: ManagedOrder }) {
  return <span>{useMethodName()(order.method)}</span>;
}

export function useOrderColumns(): Column<ManagedOrder>[] {
  const { t } = useTranslation("wallet");
  return [
    {
      id: "created",
      header: t("columns.created"),
      width: 96,
      dropPriority: 1,
      sortBy: "created_time",
      cell: (order) => <Time atS={order.created_time} />,
    },
    { id: "user", header: t("columns.user"), width: 122, cell: (order) => <Buyer order={order} /> },
    {
      id: "number",
      header: t("columns.number"),
      width: 262,
      dropPriority: 4,
      cell: (order) => <OrderNumber order={order} />,
    },
    {
      id: "method",
      header: t("columns.method"),
      width: 100,
      dropPriority: 2,
      cell: (order) => <Method order={order} />,
    },
    {
      id: "money",
      header: t("columns.money"),
      width: 100,
      isNumeric: true,
      sortBy: "money_minor",
      cell: (order) => <OrderMoney order={order} />,
    },
    {
      id: "quota",
      header: t("columns.quota"),
      width: 96,
      isNumeric: true,
      sortBy: "quota",
      cell: (order) => <Quota quota={order.quota} />,
    },
    {
      id: "status",
      header: t("columns.status"),
      width: 150,
      cell: (order) => <OrderState status={order.status} />,
    },
    {
      id: "back",
      header: t("columns.back"),
      width: 150,
      dropPriority: 3,
      cell: (order) => <Refunds order={order} />,
    },
    {
      id: "completed",
      header: t("columns.completed"),
      width: 110,
      dropPriority: 5,
      sortBy: "completed_time",
      cell: (order) => (order.completed_time === 0 ? <Faint>–</Faint> : <Time atS={order.completed_time} />),
    },
  ];
}
