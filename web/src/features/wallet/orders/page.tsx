/** All orders, for administrators: found by buyer, number, state and method, with their sums, and completed by hand where needed. */
import { IconCheck, IconListDetails } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { type ManagedOrder, ORDER_STATUSES, type OrderTotals } from "../../../../../contract/src/payments/orders.ts";
import { PAYMENT_METHOD_NAMES } from "../../../../../contract/src/payments/methods.ts";
import { formatNumber } from "../../../lib/format.ts";
import { useSearchState } from "../../../lib/search.ts";
import { DataTable } from "../../../ui/data-table/data-table.tsx";
import { ChoiceFilter, SearchFilter, TextFilter } from "../../../ui/data-table/filters.tsx";
import { useListState } from "../../../ui/data-table/list-state.ts";
import { queryRows } from "../../../ui/data-table/table-props.ts";
import { type RowAction, RowActions, RowMenu } from "../../../ui/data-table/row-actions.tsx";
import { Empty } from "../../../ui/feedback/empty.tsx";
import { Page } from "../../../ui/page.tsx";
import { useMethodName, useMoney, OrderState, useRefunds } from "../order-parts.tsx";
import { ORDER_FILTERS, type OrderList, ordersQuery } from "../queries.ts";
import { orderSearch } from "../route.ts";
import styles from "../wallet.module.css";
import { canComplete, useOrderColumns, Buyer, OrderMoney } from "./columns.tsx";
import { RowCard, RowCardAmount, RowCardHead, RowCardLine } from "../../../ui/data-table/row-card.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { Time } from "../../../ui/display/time.tsx";

/** `menu` is the row's ⋯. */
function OrderCard({ order, menu }: { order: ManagedOrder; menu: ReactNode }) {
  const nameOf = useMethodName();
  const back = useRefunds()(order);
  return (
    <RowCard>
      <RowCardHead state={<OrderState status={order.status} />} menu={menu}>
        <Buyer order={order} />
      </RowCardHead>
      <RowCardLine>
        <RowCardAmount>
          <OrderMoney order={order} />
        </RowCardAmount>
        <Quota quota={order.quota} />
      </RowCardLine>
      {back !== "" && <span className={styles.orderBack}>{back}</span>}
      <RowCardLine isFaint>
        <span>{nameOf(order.method)}</span>
        <Time atS={order.created_time} />
      </RowCardLine>
    </RowCard>
  );
}

const DetailsDrawer = lazy(async () => ({ default: (await import("./details-drawer.tsx")).DetailsDrawer }));
const CompleteDialog = lazy(async () => ({ default: (await import("./complete-dialog.tsx")).CompleteDialog }));

const glyph = { size: 15, stroke: 1.5 } as const;

function Filters({ list }: { list: OrderList }) {
  const { t } = useTranslation("wallet");
  const nameOf = useMethodName();
  const { filters, setFilters } = list;
  return (
    <>
      <SearchFilter
        label={t("all.searchUser")}
        value={filters.user ?? ""}
        onChange={(user, step) => setFilters({ user }, step)}
      />
      <TextFilter label={t("all.searchNumber")} value={filters.number} onChange={(number) => setFilters({ number })} />
      <ChoiceFilter
        label={t("columns.status")}
        choices={ORDER_STATUSES.map((value) => ({ value, text: t(`status.${value}`) }))}
        value={filters.status}
        onChange={(status) => setFilters({ status })}
      />
      <ChoiceFilter
        label={t("columns.method")}
        choices={PAYMENT_METHOD_NAMES.map((value) => ({ value, text: nameOf(value) }))}
        value={filters.method}
        onChange={(method) => setFilters({ method })}
      />
    </>
  );
}

/** Sums of all matching orders, by currency. */
function Sums({ totals }: { totals: OrderTotals }) {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  const paid = totals.filter(({ paid_orders }) => paid_orders > 0);
  if (paid.length === 0) return null;
  return (
    <span className={styles.sums}>
      {paid.map((sum) => (
        <span key={sum.currency}>
          <b>{money(sum.money, sum.currency)}</b>{" "}
          {t("all.paid", { count: sum.paid_orders, formatted: formatNumber(sum.paid_orders) })}
          {Number(sum.refunded) > 0 && t("all.refunded", { money: money(sum.refunded, sum.currency) })}
          {Number(sum.disputed) > 0 && t("all.disputed", { money: money(sum.disputed, sum.currency) })}
        </span>
      ))}
    </span>
  );
}

export function OrdersPage() {
  const { t } = useTranslation("wallet");
  const list = useListState(ORDER_FILTERS);
  const [search, change] = useSearchState(orderSearch);
  const query = useQuery(ordersQuery(list));
  const total = query.data?.total ?? 0;
  const [completing, setCompleting] = useState<ManagedOrder>();
  const open = (id: number) => change({ id });
  const close = () => change({ id: undefined }, "replace");
  const itemsOf = (order: ManagedOrder): RowAction[] => [
    { label: t("details.word"), icon: <IconListDetails {...glyph} />, onPick: () => open(order.id), isFirst: true },
    {
      label: t("complete.word"),
      icon: <IconCheck {...glyph} />,
      isDisabled: !canComplete(order),
      onPick: () => setCompleting(order),
    },
  ];
  return (
    <Page title={t("all.title")} purpose={t("all.purpose")} info={<Sums totals={query.data?.totals ?? []} />}>
      <DataTable
        name="orders"
        label={t("all.title")}
        columns={useOrderColumns()}
        list={list}
        data={queryRows(query, query.data?.items, total)}
        rowKey={(order) => String(order.id)}
        rowName={(order) => order.trade_no}
        filters={<Filters list={list} />}
        hasManyFilters
        onOpen={(order) => open(order.id)}
        tone={({ status }) => (status === "ended" || status === "cancelled" || status === "failed" ? "off" : undefined)}
        actions={(order) => <RowActions about={order.trade_no} items={itemsOf(order)} />}
        card={(order) => <OrderCard order={order} menu={<RowMenu about={order.trade_no} items={itemsOf(order)} />} />}
        empty={<Empty title={t("all.emptyTitle")} sentence={t("all.emptyText")} />}
        count={t("all.count", { count: total })}
        errorTitle={t("orders.notLoaded")}
      />
      <Suspense>
        {search.id !== undefined && (
          <DetailsDrawer key={search.id} id={search.id} onClose={close} onComplete={setCompleting} />
        )}
        {completing !== undefined && <CompleteDialog order={completing} onClose={() => setCompleting(undefined)} />}
      </Suspense>
    </Page>
  );
}
