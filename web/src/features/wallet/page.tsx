/** The wallet: the balance, redeeming a code, buying quota, one's own orders, and the order after a payment. */
import { Button, TextInput, ActionIcon } from "@mantine/core";
import {
  IconArrowRight,
  IconExternalLink,
  IconReceipt,
  IconAlertCircle,
  IconCircleCheck,
  IconClock,
  IconX,
} from "@tabler/icons-react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, lazy, useRef, useState, type ReactNode, Suspense, useEffect } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { SelfRow } from "../../../../contract/src/features/personal.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { useSearchState } from "../../lib/search.ts";
import { BalanceCard } from "../../ui/display/balance-card.tsx";
import { Card, CardColumn, CardColumns, CardGhost, CardPlace, Fact, Facts } from "../../ui/display/card.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import {
  accountQuery,
  checkinQuery,
  paceQuery,
  walletQuery,
  useRedeem,
  returnedOrderQuery,
  useRefreshWallet,
} from "./queries.ts";
import { walletSearch } from "./route.ts";
import { CheckinCard } from "./checkin-card.tsx";
import { OwnOrders } from "./own-orders.tsx";
import { type BegunPayment, leaveFor } from "./payment.ts";
import { TopUpCard } from "./top-up-card.tsx";
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import type { OwnOrder } from "../../../../contract/src/payments/orders.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { useMoney } from "./order-parts.tsx";
import styles from "./wallet.module.css";
import { ApiError } from "../../lib/api.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { PlainButton, Spinner } from "../../ui/plain.tsx";

/** From here on the page says that it may take longer; it keeps asking. */
const PATIENCE_MS = 60_000;

const QrCode = lazy(async () => ({ default: (await import("../../ui/display/qr-code.tsx")).QrCode }));

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
function useSaid(
  order: OwnOrder | undefined,
  { isLate, isScanned }: { isLate: boolean; isScanned: boolean },
): { icon: ReactNode; title: string; text: string } {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  if (isScanned && order?.status === "pending")
    return {
      icon: <Spinner />,
      title: t("returned.scan", { money: money(order.money, order.currency) }),
      text: t("returned.scanText"),
    };
  if (order === undefined || order.status === "pending")
    return { icon: <Spinner />, title: t("returned.waiting"), text: t(isLate ? "returned.late" : "returned.soon") };
  const values = { amount: formatQuota(order.quota), money: money(order.money, order.currency) };
  if (order.status === "ended" || order.status === "cancelled" || order.status === "failed")
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

interface ReturnedOrderProps {
  id: number;
  /** The code that the buyer scans to pay it; undefined where it is paid elsewhere. */
  code: string | undefined;
  onClose: () => void;
}

/** For a user who comes back from paying, or scans a code: waits for the provider's report, and says what became of the order. */
function ReturnedOrder({ id, code, onClose }: ReturnedOrderProps) {
  const { t } = useTranslation("wallet");
  const place = useRef<HTMLElement>(null);
  const query = useQuery(returnedOrderQuery(id));
  const refresh = useRefreshWallet();
  const status = query.data?.status;
  const isWaiting = status === undefined || status === "pending";
  const isLate = useIsLate(isWaiting && !query.isError);
  const { icon, title, text } = useSaid(query.data, { isLate, isScanned: code !== undefined });
  // The code appears far above the button that asked for it.
  useEffect(() => {
    if (code !== undefined) place.current?.focus();
  }, [code]);
  useEffect(() => {
    if (!isWaiting) void refresh();
  }, [isWaiting, refresh]);
  return (
    <section
      ref={place}
      tabIndex={-1}
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
      {code !== undefined && status === "pending" && !query.isError && (
        <div className={styles.scan}>
          <Suspense>
            <QrCode text={code} label={t("returned.code")} />
          </Suspense>
        </div>
      )}
    </section>
  );
}

/** Opens the shop of the site in a new window. */
function BuyCode({ link }: { link: string }) {
  const { t } = useTranslation("wallet");
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

type WalletAnswer = UseQueryResult<WalletInfo>;

/** The one act of the page whose button is filled: to pay, else today's check-in until it is done, else to redeem a code. */
function useMainAct(): "pay" | "checkIn" | "redeem" {
  const { checkin_enabled, enable_online_topup } = useStatus();
  const { data, isError } = useQuery({ ...checkinQuery, enabled: checkin_enabled });
  if (enable_online_topup) return "pay";
  return checkin_enabled && !isError && data?.stats.checked_in_today !== true ? "checkIn" : "redeem";
}

/** One line in place of what did not come. */
function NotLoaded({ text, onRetry }: { text: string; onRetry: () => void }) {
  const { t } = useTranslation("ui");
  return (
    <p className={styles.hint} role="alert">
      {text}{" "}
      <button type="button" className={styles.again} onClick={onRetry}>
        {t("error.retry")}
      </button>
    </p>
  );
}

/** Whether there is a way to pay online, on a site that said it has none: its line is kept free until that is known. */
function NoWays({ wallet }: { wallet: WalletAnswer }) {
  const { t } = useTranslation("wallet");
  if (wallet.isError && wallet.data === undefined)
    return <NotLoaded text={t("topUp.notLoaded")} onRetry={() => void wallet.refetch()} />;
  if (wallet.data !== undefined && wallet.data.methods.length > 0) return null;
  return <p className={styles.hint}>{wallet.data === undefined ? "\u00a0" : t("topUp.off")}</p>;
}

/** The ways to more quota that the site does not offer, instead of buttons that cannot work. */
function Missing({ wallet }: { wallet: WalletAnswer }) {
  const { t } = useTranslation("wallet");
  const { top_up_link, enable_online_topup } = useStatus();
  return (
    <>
      {top_up_link === "" && <p className={styles.hint}>{t("redeem.noLink")}</p>}
      {!enable_online_topup && <NoWays wallet={wallet} />}
    </>
  );
}

/** Redeems a code, and leads to where codes can be bought. */
function RedeemCard({ wallet, isMain }: { wallet: WalletAnswer; isMain: boolean }) {
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
  const { top_up_link: link } = useStatus();
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
    <Card title={t("redeem.title")} text={t("redeem.text")} action={link === "" ? undefined : <BuyCode link={link} />}>
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
        <BusyButton type="submit" variant={isMain ? "filled" : "default"} isBusy={isBusy}>
          {t("redeem.submit")}
        </BusyButton>
      </form>
      <Missing wallet={wallet} />
    </Card>
  );
}

/** Rewards of invitations; they are moved to the balance where the invitations are. */
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

/** "Lasts about 41 days at this pace", where a pace is known. */
function Lasting() {
  const { t } = useTranslation("wallet");
  const { data, isError } = useQuery(paceQuery);
  if (isError) return null;
  // Its line is kept free until the answer is there.
  if (data === undefined) return <p className={styles.hint}>{"\u00a0"}</p>;
  if (data.days_left === null) return null;
  const { days_left: count, days, spent } = data;
  const values = { count, formatted: formatNumber(count), days, spent: formatQuota(spent) };
  return <p className={styles.hint}>{t(count === 0 ? "lastsToday" : "lasts", values)}</p>;
}

/** Heights of the cards that wait for an answer, or say that none came: what stands below them is not moved. */
const BALANCE_PX = 146;
const TOP_UP_PX = 400;
const REWARDS_PX = 140;

const AutoTopUpCard = lazy(async () => ({ default: (await import("./auto-top-up-card.tsx")).AutoTopUpCard }));

export function WalletPage() {
  const { t } = useTranslation("wallet");
  const [search, change] = useSearchState(walletSearch);
  const account = useQuery(accountQuery);
  const wallet = useQuery(walletQuery);
  const { checkin_enabled, enable_online_topup } = useStatus();
  const main = useMainAct();
  const [code, setCode] = useState<{ order: number; text: string }>();
  const close = () => change({ order: undefined }, "replace");
  /** The buyer scans a code here, or goes to the provider's page. */
  const begin = (begun: BegunPayment) => {
    if (begun.qr_code === "") return leaveFor(begun.url, begun.fields);
    setCode({ order: begun.order_id, text: begun.qr_code });
    change({ order: begun.order_id });
  };
  return (
    <Page
      title={t("title")}
      purpose={t("purpose")}
      actions={
        <Button component={Link} to="/topup/statement" leftSection={<IconReceipt size={16} stroke={1.5} />}>
          {t("statement.title")}
        </Button>
      }
    >
      {search.order !== undefined && (
        <ReturnedOrder
          key={search.order}
          id={search.order}
          code={code?.order === search.order ? code.text : undefined}
          onClose={close}
        />
      )}
      <CardColumns>
        <CardColumn>
          {account.data !== undefined && <BalanceCard account={account.data} forecast={<Lasting />} />}
          {account.isPending && <CardGhost heightPx={BALANCE_PX} />}
          {account.isError && account.data === undefined && (
            <CardPlace heightPx={BALANCE_PX}>
              <ErrorState title={t("balance.notLoaded")} error={account.error} onRetry={() => void account.refetch()} />
            </CardPlace>
          )}
          {!enable_online_topup && <RedeemCard wallet={wallet} isMain={main === "redeem"} />}
          {wallet.data !== undefined && <TopUpCard wallet={wallet.data} onBegun={begin} />}
          {wallet.data?.enable_auto_topup === true && (
            <Suspense fallback={<CardGhost heightPx={200} />}>
              <AutoTopUpCard wallet={wallet.data} />
            </Suspense>
          )}
          {wallet.isPending && enable_online_topup && <CardGhost heightPx={TOP_UP_PX} />}
          {wallet.isError && wallet.data === undefined && enable_online_topup && (
            <CardPlace heightPx={TOP_UP_PX}>
              <ErrorState title={t("topUp.notLoaded")} error={wallet.error} onRetry={() => void wallet.refetch()} />
            </CardPlace>
          )}
        </CardColumn>
        <CardColumn>
          {checkin_enabled && <CheckinCard isMain={main === "checkIn"} />}
          {enable_online_topup && <RedeemCard wallet={wallet} isMain={false} />}
          {account.data !== undefined && <RewardsCard account={account.data} />}
          {account.isPending && <CardGhost heightPx={REWARDS_PX} />}
          {account.isError && account.data === undefined && (
            <CardPlace heightPx={REWARDS_PX}>
              <NotLoaded text={t("rewards.notLoaded")} onRetry={() => void account.refetch()} />
            </CardPlace>
          )}
          <OwnOrders onBegun={begin} />
        </CardColumn>
      </CardColumns>
    </Page>
  );
}
