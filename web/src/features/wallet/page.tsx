/** The wallet: the balance, redeeming a code, buying quota, one's own orders, and the order after a payment. */
import { Button, TextInput, ActionIcon } from "@mantine/core";
import {
  IconArrowRight,
  IconExternalLink,
  IconAlertCircle,
  IconCircleCheck,
  IconClock,
  IconX,
} from "@tabler/icons-react";
import { useQuery, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useRef, useState, type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { SelfRow } from "../../../../contract/src/features/personal.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { useSearchState } from "../../lib/search.ts";
import { BalanceCard } from "../../ui/display/balance-card.tsx";
import { Card, CardColumn, CardColumns, CardGhost, Fact, Facts } from "../../ui/display/card.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { ErrorState, NotRefreshed } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import {
  accountQuery,
  walletQuery,
  ownOrdersQuery,
  useRedeem,
  returnedOrderQuery,
  useRefreshWallet,
} from "./queries.ts";
import { walletSearch } from "./route.ts";
import { CheckinCard } from "./checkin-card.tsx";
import { TopUpCard } from "./top-up-card.tsx";
import type { OwnOrder, WalletInfo } from "../../../../contract/src/features/wallet.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Copy } from "../../ui/display/copy.tsx";
import { Time } from "../../ui/display/time.tsx";
import { OrderState, useMethodName, useMoney, useRefunds } from "./order-parts.tsx";
import styles from "./wallet.module.css";
import { ApiError } from "../../lib/api.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { PlainButton, Spinner } from "../../ui/plain.tsx";

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

/** For a user who comes back from paying: waits for the provider's report, and says what became of the order. */
function ReturnedOrder({ id, onClose }: { id: number; onClose: () => void }) {
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

/** Opens the shop of the site in a new window, or says that there is none. */
function BuyCode({ link }: { link: string | undefined }) {
  const { t } = useTranslation("wallet");
  if (link === undefined || link === "")
    return <Button onClick={() => toast.info(t("redeem.noLink"))}>{t("redeem.buy")}</Button>;
  return (
    <Button
      component="a"
      href={link}
      target="_blank"
      rel="noreferrer"
      rightSection={<IconExternalLink size={14} stroke={1.5} />}
    >
      {t("redeem.buy")}
    </Button>
  );
}

/** Redeems a code, and leads to where codes can be bought. */
function RedeemCard({ wallet }: { wallet: WalletInfo | undefined }) {
  const { t } = useTranslation("wallet");
  const [code, setCode] = useState("");
  const [error, setError] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const redeem = useRedeem();
  const refuse = (sentence: string) => {
    setError(sentence);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    if (code.trim() === "") return refuse(t("redeem.missing"));
    setIsBusy(true);
    try {
      const quota = await redeem.mutateAsync(code);
      setCode("");
      toast.success(t("redeem.done"), t("redeem.added", { amount: formatQuota(quota) }));
    } catch (failure) {
      if (failure instanceof ApiError && failure.status !== 0) refuse(failure.message);
      else toast.error(failure, t("redeem.failed"));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Card title={t("redeem.title")} text={t("redeem.text")} action={<BuyCode link={wallet?.top_up_link} />}>
      <form className={styles.line} onSubmit={(event) => void submit(event)} noValidate>
        <TextInput
          ref={field}
          className={styles.grow ?? ""}
          classNames={{ input: "mono" }}
          aria-label={t("redeem.code")}
          placeholder={t("redeem.code")}
          value={code}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          error={error === "" ? undefined : error}
          onChange={(event) => {
            setCode(event.currentTarget.value);
            setError("");
          }}
        />
        <BusyButton type="submit" variant="filled" isBusy={isBusy}>
          {t("redeem.submit")}
        </BusyButton>
      </form>
    </Card>
  );
}

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

/** The own orders, newest first: when, how much for how much, by which way, and what became of them. */
function OwnOrders() {
  const { t } = useTranslation("wallet");
  return (
    <Card title={t("orders.title")} text={t("orders.text")}>
      <Orders />
    </Card>
  );
}

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
  const { checkin_enabled } = useStatus();
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
          {checkin_enabled && <CheckinCard />}
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
