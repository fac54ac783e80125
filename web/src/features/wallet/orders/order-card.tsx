/** An order on a phone: who and which state, money and quota, when and what went back. */
import type { ReactNode } from "react";
import type { ManagedOrder } from "../../../../../contract/src/features/wallet.ts";
import { Quota } from "../../../ui/display/quota.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { OrderState, useMethodName, useMoneyBack } from "../order-parts.tsx";
import styles from "../wallet.module.css";
import { Buyer, OrderMoney } from "./columns.tsx";

/** `menu` is the row's ⋯. */
export function OrderCard({ order, menu }: { order: ManagedOrder; menu: ReactNode }) {
  const nameOf = useMethodName();
  const back = useMoneyBack()(order);
  return (
    <div className={styles.card}>
      <div className={styles.cardRow}>
        <Buyer order={order} />
        <span className={styles.cardEnd}>
          <OrderState status={order.status} />
          {menu}
        </span>
      </div>
      <div className={styles.cardRow}>
        <span className={styles.amount}>
          <OrderMoney order={order} />
        </span>
        <Quota quota={order.quota} />
      </div>
      {back !== "" && <span className={styles.orderBack}>{back}</span>}
      <div className={`${styles.cardRow} ${styles.faint}`}>
        <span>{nameOf(order.method)}</span>
        <Time atS={order.created_time} />
      </div>
    </div>
  );
}
