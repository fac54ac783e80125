/** An order on a phone: who and which state, money and quota, when and what went back. */
import type { ReactNode } from "react";
import type { ManagedOrder } from "../../../../../contract/src/features/wallet.ts";
import { RowCard, RowCardAmount, RowCardHead, RowCardLine } from "../../../ui/data-table/row-card.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { OrderState, useMethodName, useRefunds } from "../order-parts.tsx";
import styles from "../wallet.module.css";
import { Buyer, OrderMoney } from "./columns.tsx";

/** `menu` is the row's ⋯. */
export function OrderCard({ order, menu }: { order: ManagedOrder; menu: ReactNode }) {
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
