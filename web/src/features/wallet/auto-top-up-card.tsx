/** Automatic top-up: the saved card, the rule by which it pays, its cost this month, and why it is paused. Loaded where the site offers it. */
import { NativeSelect, TextInput } from "@mantine/core";
import { IconCreditCard } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { WalletInfo } from "../../../../contract/src/features/wallet.ts";
import type { AutoTopUp } from "../../../../contract/src/payments/auto-top-up.ts";
import { ApiError } from "../../lib/api.ts";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Card, CardGhost } from "../../ui/display/card.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { amountQuota, amountText, useQuotaView } from "../../ui/form/amount.ts";
import { Toggle } from "../../ui/form/fields.tsx";
import { useMoney } from "./order-parts.tsx";
import { autoTopUpQuery, useAutoTopUp } from "./queries.ts";
import styles from "./wallet.module.css";

/** The page of Stripe on which a card is saved. */
function SaveCard({ isOther }: { isOther: boolean }) {
  const { t } = useTranslation("wallet");
  const { saveCard } = useAutoTopUp();
  const go = () =>
    saveCard.mutate(undefined, {
      onSuccess: (address) => address !== undefined && location.assign(address),
      onError: (error) => toast.error(error, t("auto.notSaved")),
    });
  return (
    <BusyButton leftSection={<IconCreditCard size={15} stroke={1.5} />} isBusy={saveCard.isPending} onClick={go}>
      {t(isOther ? "auto.otherCard" : "auto.saveCard")}
    </BusyButton>
  );
}

function SavedCard({ card }: { card: NonNullable<AutoTopUp["card"]> }) {
  const { t } = useTranslation("wallet");
  const { removeCard } = useAutoTopUp();
  const remove = () =>
    removeCard.mutate(undefined, {
      onSuccess: () => toast.success(t("auto.removed")),
      onError: (error) => toast.error(error, t("auto.notSaved")),
    });
  return (
    <div className={styles.savedCard}>
      <span>{t("auto.card", { brand: card.brand, last4: card.last4 })}</span>
      <SaveCard isOther />
      <BusyButton isBusy={removeCard.isPending} onClick={remove}>
        {t("auto.remove")}
      </BusyButton>
    </div>
  );
}

type Field = "enabled" | "threshold" | "amount" | "month_limit";

function useRuleForm(rule: AutoTopUp, wallet: WalletInfo) {
  const { t } = useTranslation("wallet");
  const view = useQuotaView();
  const { setRule } = useAutoTopUp();
  const [values, setValues] = useState({
    enabled: rule.enabled || rule.amount === 0,
    threshold: rule.threshold === 0 ? "" : amountText(rule.threshold, view),
    amount: String(rule.amount || (wallet.presets[0] ?? wallet.minimum)),
    month_limit: rule.month_limit,
  });
  const [error, setError] = useState<{ field: Field; text: string }>();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const threshold = amountQuota(values.threshold, view);
    if (threshold === undefined || threshold < 1) return setError({ field: "threshold", text: t("auto.badThreshold") });
    setError(undefined);
    const { enabled, month_limit } = values;
    try {
      const set = await setRule.mutateAsync({ enabled, threshold, amount: Number(values.amount), month_limit });
      if (set !== undefined) toast.success(t("auto.set"));
    } catch (failure) {
      if (failure instanceof ApiError && failure.field !== undefined)
        setError({ field: failure.field as Field, text: failure.message });
      else toast.error(failure, t("auto.notSet"));
    }
  };
  const change = (changed: Partial<typeof values>) => {
    setValues({ ...values, ...changed });
    setError(undefined);
  };
  return {
    values,
    change,
    save,
    isBusy: setRule.isPending,
    sign: view.sign,
    errorOf: (field: Field) => (error?.field === field ? error.text : undefined),
  };
}

function RuleForm({ rule, wallet }: { rule: AutoTopUp; wallet: WalletInfo }) {
  const { t } = useTranslation("wallet");
  const { values, change, save, isBusy, sign, errorOf } = useRuleForm(rule, wallet);
  const shown = (amount: number) =>
    wallet.amount_unit === "units" ? `$${formatNumber(amount)}` : formatQuota(amount, 0);
  const amounts = [...new Set([...wallet.presets, Number(values.amount)])].toSorted((a, b) => a - b);
  return (
    <form className={styles.autoForm} onSubmit={(event) => void save(event)} noValidate>
      <Toggle isOn={values.enabled} onChange={(enabled) => change({ enabled })} label={t("auto.enabled")} />
      <TextInput
        label={t("auto.threshold")}
        inputMode="decimal"
        leftSection={sign}
        value={values.threshold}
        error={errorOf("threshold")}
        onChange={({ currentTarget }) => change({ threshold: currentTarget.value })}
      />
      <NativeSelect
        label={t("auto.amount")}
        data={amounts.map((amount) => ({ value: String(amount), label: shown(amount) }))}
        value={values.amount}
        error={errorOf("amount")}
        onChange={({ currentTarget }) => change({ amount: currentTarget.value })}
      />
      <TextInput
        label={t("auto.limit", { currency: rule.currency })}
        inputMode="decimal"
        value={values.month_limit}
        error={errorOf("month_limit")}
        onChange={({ currentTarget }) => change({ month_limit: currentTarget.value })}
      />
      <BusyButton type="submit" isBusy={isBusy}>
        {t("auto.save")}
      </BusyButton>
    </form>
  );
}

export function AutoTopUpCard({ wallet }: { wallet: WalletInfo }) {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  const query = useQuery(autoTopUpQuery);
  const { data: rule } = query;
  if (query.isPending) return <CardGhost heightPx={200} />;
  if (rule === undefined)
    return <ErrorState title={t("auto.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Card title={t("auto.title")} text={t("auto.text")}>
      {rule.paused !== "" && <Notice tone="amber">{t(`auto.paused.${rule.paused}`)}</Notice>}
      {rule.is_paying && <Notice tone="blue">{t("auto.paying")}</Notice>}
      {rule.card === null ? <SaveCard isOther={false} /> : <SavedCard card={rule.card} />}
      {rule.card !== null && <RuleForm key={`${rule.amount} ${rule.month_limit}`} rule={rule} wallet={wallet} />}
      {rule.month_limit !== "" && (
        <p className={styles.hint}>
          {t("auto.spent", {
            spent: money(rule.month_spent, rule.currency),
            limit: money(rule.month_limit, rule.currency),
          })}
        </p>
      )}
    </Card>
  );
}
