/** Buys quota online: an amount, a payment method, its price, and the way to the provider. */
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBrandAlipay, IconBrandWechat, IconCreditCard, type TablerIcon } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type RefObject, useRef, useState } from "react";
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import type { PaymentMethodName } from "../../../../contract/src/payments/methods.ts";
import { ApiError } from "../../lib/api.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { language, useTranslation } from "../../lib/i18n.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Presets, Segmented } from "../../ui/form/fields.tsx";
import { amountOf, amountProblem, discountRate, quotaOf } from "./amount.ts";
import { useMethodName, useMoney } from "./order-parts.tsx";
import type { BegunPayment } from "./payment.ts";
import { priceQuery, usePay } from "./queries.ts";
import styles from "./wallet.module.css";

const ICONS: Readonly<Record<PaymentMethodName, TablerIcon>> = {
  zfb: IconBrandAlipay,
  wx: IconBrandWechat,
  alipay_direct: IconBrandAlipay,
  wechat_direct: IconBrandWechat,
  stripe: IconCreditCard,
};

/** The pause in typing after which the price is loaded. */
const TYPING_MS = 250;

type OfferedMethod = WalletInfo["methods"][number];

interface Chosen {
  text: string;
  method: OfferedMethod;
}

/** An amount as the site shows it: $10, or a number of quota. */
const useAmountText = ({ amount_unit }: WalletInfo) => {
  useTranslation();
  return (amount: number): string => (amount_unit === "units" ? `$${formatNumber(amount)}` : formatQuota(amount, 0));
};

/** The price of the amount, as it was typed a moment ago. */
function Price({ text, method }: Chosen) {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const amount = amountProblem(settled, method) === undefined ? amountOf(settled) : undefined;
  const price = useQuery({ ...priceQuery(amount ?? 0, method.name), enabled: amount !== undefined });
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
      {shown !== undefined && !price.isError && shown.discount !== "1" && (
        <span className={styles.priceFull}>
          {t("topUp.insteadOf", { money: money(shown.full_price, shown.currency) })}
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
        options={wallet.methods.map(({ name, title, color }) => {
          const Icon = ICONS[name];
          const text = (
            <span className={styles.method}>
              <Icon size={16} stroke={1.5} aria-hidden style={color === "" ? undefined : { color }} />
              {title === "" ? nameOf(name) : title}
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

/** The amounts that the site offers, with their discounts; those below the least amount of the method are left out. */
function AmountButtons({
  wallet,
  method,
  amount,
  onPick,
}: {
  wallet: WalletInfo;
  method: OfferedMethod;
  amount: number | undefined;
  onPick: (amount: number) => void;
}) {
  const { t } = useTranslation("wallet");
  const amountText = useAmountText(wallet);
  const options = wallet.presets
    .filter((value) => value >= method.minimum)
    .map((value) => {
      const share = wallet.discount[String(value)] ?? 1;
      const note = share < 1 ? t("topUp.discount", { rate: discountRate(share, language()) }) : undefined;
      return { value, text: amountText(value), note };
    });
  if (options.length === 0) return null;
  const picked = options.find(({ value }) => value === amount)?.value;
  return <Presets label={t("topUp.amount")} options={options} value={picked} onPick={onPick} />;
}

interface AmountFieldProps {
  wallet: WalletInfo;
  method: OfferedMethod;
  text: string;
  /** Why the amount was refused; "" where it was not. */
  error: string;
  field: RefObject<HTMLInputElement | null>;
  onChange: (text: string) => void;
}

/** The amount as it is typed, with the buttons that fill it. */
function AmountField({ wallet, method, text, error, field, onChange }: AmountFieldProps) {
  const { t } = useTranslation("wallet");
  const amountText = useAmountText(wallet);
  const amount = amountOf(text);
  const isInUnits = wallet.amount_unit === "units";
  const quota = amount === undefined || isInUnits ? undefined : quotaOf(amount, wallet);
  return (
    <div>
      <TextInput
        ref={field}
        label={t("topUp.amount")}
        value={text}
        inputMode="numeric"
        error={error === "" ? undefined : error}
        description={error === "" ? t("topUp.minimum", { minimum: amountText(method.minimum) }) : undefined}
        inputWrapperOrder={["label", "input", "description", "error"]}
        leftSection={isInUnits ? "$" : undefined}
        leftSectionWidth={26}
        rightSection={quota === undefined ? undefined : <span className={styles.side}>{t("topUp.quotaUnit")}</span>}
        rightSectionWidth={quota === undefined ? 0 : 70}
        rightSectionPointerEvents="none"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <AmountButtons wallet={wallet} method={method} amount={amount} onPick={(value) => onChange(String(value))} />
    </div>
  );
}

interface TopUpFormProps {
  wallet: WalletInfo;
  first: OfferedMethod;
  onBegun: (begun: BegunPayment) => void;
}

/** The form of a site where at least one payment method is on. */
function TopUpForm({ wallet, first, onBegun }: TopUpFormProps) {
  const { t } = useTranslation("wallet");
  const amountText = useAmountText(wallet);
  const [text, setText] = useState(() =>
    String(wallet.presets.find((amount) => amount >= first.minimum) ?? first.minimum),
  );
  const [picked, setMethod] = useState<PaymentMethodName>(first.name);
  const [error, setError] = useState("");
  // Set by the click itself: a mutation says a moment later that it runs, and a second click would make a second order.
  const [step, setStep] = useState<"asked" | "leaving">();
  const field = useRef<HTMLInputElement>(null);
  const pay = usePay();
  // An administrator may have turned it off since it was picked.
  const method = wallet.methods.find(({ name }) => name === picked) ?? first;
  const change = (next: string) => {
    setText(next);
    setError("");
  };
  const choose = (name: PaymentMethodName) => {
    setMethod(name);
    setError("");
  };
  const refuse = (sentence: string) => {
    setError(sentence);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (step !== undefined) return;
    const problem = amountProblem(text, method);
    if (problem !== undefined) return refuse(t(`topUp.errors.${problem}`, { minimum: amountText(method.minimum) }));
    setStep("asked");
    try {
      const begun = await pay.mutateAsync({ amount: amountOf(text) ?? 0, payment_method: method.name });
      setStep(begun.qr_code === "" ? "leaving" : undefined);
      // After the browser's Back button the form is as it was.
      addEventListener("pageshow", () => setStep(undefined), { once: true });
      onBegun(begun);
    } catch (failure) {
      setStep(undefined);
      if (failure instanceof ApiError && failure.field === "amount") refuse(failure.message);
      else toast.error(failure, t("topUp.failed"));
    }
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <AmountField wallet={wallet} method={method} text={text} error={error} field={field} onChange={change} />
      <MethodField wallet={wallet} method={method.name} onChange={choose} />
      <Price text={text} method={method} />
      {Number(wallet.group_ratio) !== 1 && (
        <p className={styles.hint}>{t("topUp.groupRatio", { group: wallet.group, ratio: wallet.group_ratio })}</p>
      )}
      <BusyButton type="submit" variant="filled" isBusy={step !== undefined}>
        {t(step === "leaving" ? "topUp.leaving" : "topUp.pay")}
      </BusyButton>
    </form>
  );
}

/** Nothing where no payment method is on. @param onBegun called with where the buyer goes to pay, or what they scan; may throw */
export function TopUpCard({ wallet, onBegun }: { wallet: WalletInfo; onBegun: (begun: BegunPayment) => void }) {
  const { t } = useTranslation("wallet");
  const first = wallet.methods[0];
  if (first === undefined) return null;
  return (
    <Card title={t("topUp.title")} text={t("topUp.text")}>
      <TopUpForm wallet={wallet} first={first} onBegun={onBegun} />
    </Card>
  );
}
