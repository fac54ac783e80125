/** Buys quota online: an amount, a payment method, its price, and the way to the provider. */
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBrandAlipay, IconBrandWechat, IconCreditCard, type TablerIcon } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import type { PaymentMethodName } from "../../../../contract/src/payments/methods.ts";
import { ApiError } from "../../lib/api.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Presets, Segmented } from "../../ui/form/fields.tsx";
import { amountOf, amountProblem, quotaOf } from "./amount.ts";
import { useMethodName, useMoney } from "./order-parts.tsx";
import { priceQuery, usePay } from "./queries.ts";
import styles from "./wallet.module.css";
import { LEAVE_PAGE } from "../../../../contract/src/payments/leave-page.ts";

/** Where the page finds the form, in the storage of the tab, which no other site can write to; web/public/leave.js reads it. */
const FORM_KEY = "payment_form";

/**
 * Posts `fields` there as a form; without fields the browser simply goes there. The form is posted by a page of its own: browsers hold every
 * redirect behind a form to the policy of its page, and gateways redirect to payment pages that cannot be listed beforehand.
 * Throws where the browser refuses storage.
 */
function leaveFor(url: string, fields: Readonly<Record<string, string>>): void {
  if (Object.keys(fields).length === 0) return location.assign(url);
  sessionStorage.setItem(FORM_KEY, JSON.stringify({ url, fields }));
  location.assign(LEAVE_PAGE);
}

const ICONS: Readonly<Record<PaymentMethodName, TablerIcon>> = {
  zfb: IconBrandAlipay,
  wx: IconBrandWechat,
  stripe: IconCreditCard,
};

/** The pause in typing after which the price is loaded. */
const TYPING_MS = 250;

interface Chosen {
  wallet: WalletInfo;
  text: string;
  method: PaymentMethodName;
}

/** An amount as the site shows it: $10, or a number of quota. */
const useAmountText = ({ amount_unit }: WalletInfo) => {
  useTranslation();
  return (amount: number): string => (amount_unit === "units" ? `$${formatNumber(amount)}` : formatQuota(amount, 0));
};

/** What the amount costs, as it was typed a moment ago. */
function Price({ wallet, text, method }: Chosen) {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const amount = amountProblem(settled, wallet) === undefined ? amountOf(settled) : undefined;
  const price = useQuery({ ...priceQuery(amount ?? 0, method), enabled: amount !== undefined });
  const isOld = price.isPlaceholderData || settled !== text;
  const shown = amount === undefined ? undefined : price.data;
  return (
    <div className={styles.price} aria-live="polite" aria-busy={isOld || price.isFetching}>
      <span className={styles.priceName}>{t("topUp.price")}</span>
      {price.isError && amount !== undefined ? (
        <span className={styles.priceError}>{describeError(price.error).message}</span>
      ) : (
        <span className={styles.priceMoney} data-old={isOld || undefined}>
          {shown === undefined ? "–" : money(shown.money, shown.currency)}
        </span>
      )}
      <span className={styles.priceFor}>
        {shown !== undefined && !price.isError && t("topUp.gives", { amount: formatQuota(shown.quota) })}
      </span>
    </div>
  );
}

function MethodField({
  wallet,
  method,
  onChange,
}: {
  wallet: WalletInfo;
  method: PaymentMethodName;
  onChange: (method: PaymentMethodName) => void;
}) {
  const { t } = useTranslation("wallet");
  const nameOf = useMethodName();
  return (
    <div>
      <div className={styles.label}>{t("topUp.method")}</div>
      <Segmented
        label={t("topUp.method")}
        options={wallet.methods.map(({ name }) => {
          const Icon = ICONS[name];
          const text = (
            <span className={styles.method}>
              <Icon size={16} stroke={1.5} aria-hidden />
              {nameOf(name)}
            </span>
          );
          return { value: name, text };
        })}
        value={method}
        onChange={onChange}
      />
    </div>
  );
}

/** The form of a site where at least one payment method is on. */
function TopUpForm({ wallet, first }: { wallet: WalletInfo; first: PaymentMethodName }) {
  const { t } = useTranslation("wallet");
  const amountText = useAmountText(wallet);
  const [text, setText] = useState(() => String(wallet.presets[0] ?? wallet.minimum));
  const [picked, setMethod] = useState<PaymentMethodName>(first);
  const [error, setError] = useState("");
  // Set by the click itself: a mutation says a moment later that it runs, and a second click would make a second order.
  const [step, setStep] = useState<"asked" | "leaving">();
  const field = useRef<HTMLInputElement>(null);
  const pay = usePay();
  // An administrator may have turned it off since it was picked.
  const method = wallet.methods.some(({ name }) => name === picked) ? picked : first;
  const change = (next: string) => {
    setText(next);
    setError("");
  };
  const refuse = (sentence: string) => {
    setError(sentence);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (step !== undefined) return;
    const problem = amountProblem(text, wallet);
    if (problem !== undefined) return refuse(t(`topUp.errors.${problem}`, { minimum: amountText(wallet.minimum) }));
    setStep("asked");
    try {
      const { url, fields } = await pay.mutateAsync({ amount: amountOf(text) ?? 0, payment_method: method });
      setStep("leaving");
      // After the browser's Back button the form is as it was.
      addEventListener("pageshow", () => setStep(undefined), { once: true });
      leaveFor(url, fields);
    } catch (failure) {
      setStep(undefined);
      if (failure instanceof ApiError && failure.field === "amount") refuse(failure.message);
      else toast.error(failure, t("topUp.failed"));
    }
  };
  const amount = amountOf(text);
  const isInUnits = wallet.amount_unit === "units";
  const quota = amount === undefined || isInUnits ? undefined : quotaOf(amount, wallet);
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <div>
        <TextInput
          ref={field}
          label={t("topUp.amount")}
          value={text}
          inputMode="numeric"
          error={error === "" ? undefined : error}
          description={error === "" ? t("topUp.minimum", { minimum: amountText(wallet.minimum) }) : undefined}
          inputWrapperOrder={["label", "input", "description", "error"]}
          leftSection={isInUnits ? "$" : undefined}
          leftSectionWidth={26}
          rightSection={quota === undefined ? undefined : <span className={styles.side}>{t("topUp.quotaUnit")}</span>}
          rightSectionWidth={quota === undefined ? 0 : 70}
          rightSectionPointerEvents="none"
          onChange={(event) => change(event.currentTarget.value)}
        />
        <Presets
          label={t("topUp.amount")}
          options={wallet.presets.map((value) => ({ value, text: amountText(value) }))}
          value={wallet.presets.find((value) => value === amount)}
          onPick={(value) => change(String(value))}
        />
      </div>
      <MethodField wallet={wallet} method={method} onChange={setMethod} />
      <Price wallet={wallet} text={text} method={method} />
      {Number(wallet.group_ratio) !== 1 && (
        <p className={styles.hint}>{t("topUp.groupRatio", { group: wallet.group, ratio: wallet.group_ratio })}</p>
      )}
      <BusyButton type="submit" variant="filled" isBusy={step !== undefined}>
        {t(step === "leaving" ? "topUp.leaving" : "topUp.pay")}
      </BusyButton>
    </form>
  );
}

export function TopUpCard({ wallet }: { wallet: WalletInfo }) {
  const { t } = useTranslation("wallet");
  const first = wallet.methods[0]?.name;
  return (
    <Card title={t("topUp.title")} text={first === undefined ? undefined : t("topUp.text")}>
      {first === undefined ? (
        <Notice tone="blue">{t("topUp.off")}</Notice>
      ) : (
        <TopUpForm wallet={wallet} first={first} />
      )}
    </Card>
  );
}
