/** For the buyer who comes back from paying: waits for the provider's report, and says what became of the order. */
import { ActionIcon } from "@mantine/core";
import { IconAlertCircle, IconCircleCheck, IconClock, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { OwnOrder } from "../../../../contract/src/features/wallet.ts";
import { formatQuota } from "../../lib/format.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { PlainButton, Spinner } from "../../ui/plain.tsx";
import { useMoney } from "./order-parts.tsx";
import { returnedOrderQuery, useRefreshWallet } from "./queries.ts";
import styles from "./wallet.module.css";

/** From here on the page says that it may take longer; it goes on asking. */
const PATIENCE_MS = 60_000;

function useIsLate(isWaiting: boolean): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return isWaiting && isLate;
}

/** Icon and words for each state that an order can be in when its buyer comes back. */
function useSaid(order: OwnOrder | undefined, isLate: boolean): { icon: ReactNode; title: string; text: string } {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  if (order === undefined || order.status === "pending")
    return { icon: <Spinner />, title: t("returned.waiting"), text: t(isLate ? "returned.late" : "returned.soon") };
  const values = { amount: formatQuota(order.quota), money: money(order.money, order.currency) };
  if (order.status === "ended" || order.status === "failed")
    return {
      icon:
        order.status === "failed" ? <IconAlertCircle size={18} stroke={1.5} /> : <IconClock size={18} stroke={1.5} />,
      title: t(`returned.${order.status}`),
      text: t("returned.nothing", values),
    };
  if (order.status === "uncredited")
    return {
      icon: <IconAlertCircle size={18} stroke={1.5} />,
      title: t("returned.uncredited"),
      text: t("returned.uncreditedText", values),
    };
  return {
    icon: <IconCircleCheck size={18} stroke={1.5} />,
    title: t("returned.paid", values),
    text: t("returned.paidText", values),
  };
}

export function ReturnedOrder({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation("wallet");
  const query = useQuery(returnedOrderQuery(id));
  const refresh = useRefreshWallet();
  const status = query.data?.status;
  const isWaiting = status === undefined || status === "pending";
  const { icon, title, text } = useSaid(query.data, useIsLate(isWaiting && !query.isError));
  useEffect(() => {
    if (!isWaiting) void refresh();
  }, [isWaiting, refresh]);
  return (
    <section
      className={styles.returned}
      data-state={query.isError ? "failed" : (status ?? "pending")}
      aria-label={t("returned.label")}
    >
      <span className={styles.returnedIcon} aria-hidden>
        {query.isError ? <IconAlertCircle size={18} stroke={1.5} /> : icon}
      </span>
      <div className={styles.returnedWords} role="status">
        <b>{query.isError ? t("returned.notLoaded") : title}</b>
        <span>{query.isError ? describeError(query.error).message : text}</span>
      </div>
      {query.isError && <PlainButton onClick={() => void query.refetch()}>{t("returned.retry")}</PlainButton>}
      <ActionIcon variant="subtle" size={28} aria-label={t("returned.close")} onClick={onClose}>
        <IconX size={15} stroke={1.5} />
      </ActionIcon>
    </section>
  );
}
