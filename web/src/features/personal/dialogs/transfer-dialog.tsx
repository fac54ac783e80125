/** Moves rewards of invitations to the balance. */
import { TextInput } from "@mantine/core";
import { useTranslation } from "../../../lib/i18n.ts";
import { transferRewards } from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { formatQuota } from "../../../lib/format.ts";
import { amountQuota, amountText, type QuotaView, signWidth, useQuotaView } from "../../../ui/form/amount.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { type Account, useRefreshAccount } from "../queries.ts";
import { sameNames, useForm } from "../../../ui/form/use-form.ts";

/** One amount, as typed: from $1 to all rewards. */
function useAmountForm(rewards: number, view: QuotaView) {
  const { t } = useTranslation("personal");
  return useForm<{ quota: string }, "quota">({
    start: () => ({ quota: amountText(rewards, view) }),
    check: ({ quota: text }) => {
      const quota = amountQuota(text, view);
      if (quota === undefined || quota < view.quotaPerUnit)
        return { quota: t("transfer.tooSmall", { amount: formatQuota(view.quotaPerUnit) }) };
      return quota > rewards ? { quota: t("transfer.tooMuch", { amount: formatQuota(rewards) }) } : {};
    },
    refusedField: sameNames(["quota"]),
  });
}

export function TransferDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const view = useQuotaView();
  const form = useAmountForm(account.aff_quota, view);
  const refresh = useRefreshAccount();
  const submit = async () => {
    const quota = amountQuota(form.values.quota, view) ?? 0;
    if (!(await form.submit(() => call(transferRewards, { body: { quota } })))) return false;
    await refresh();
    toast.success(t("transfer.done", { amount: formatQuota(quota) }));
    onClose();
    return true;
  };
  return (
    <FormDialog
      title={t("transfer.title")}
      text={t("transfer.text", { amount: formatQuota(account.aff_quota) })}
      submitLabel={t("transfer.submit")}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label={t("transfer.amount")}
        inputMode="decimal"
        leftSection={view.sign}
        leftSectionWidth={signWidth(view)}
        value={form.values.quota}
        error={form.errorOf("quota")}
        onChange={(event) => form.change({ quota: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
