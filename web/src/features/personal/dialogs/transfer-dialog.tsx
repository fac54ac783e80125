/** Moves rewards of invitations to the balance. */
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { transferRewards } from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { formatQuota } from "../../../lib/format.ts";
import { useStatus } from "../../../lib/status.ts";
import { amountQuota, amountText } from "../../../ui/form/amount.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { type Account, useRefreshAccount } from "../queries.ts";
import { useRefusals } from "../../../ui/form/refusals.ts";

export function TransferDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const { quota_per_unit: quotaPerUnit, display_in_currency: isCurrency } = useStatus();
  const view = { isCurrency, quotaPerUnit };
  const [text, setText] = useState(() => amountText(account.aff_quota, view));
  const { errors, attempt, clear } = useRefusals(["quota"]);
  const refresh = useRefreshAccount();
  const submit = async () => {
    const quota = amountQuota(text, view);
    const found =
      quota === undefined || quota < quotaPerUnit
        ? { quota: t("transfer.tooSmall", { amount: formatQuota(quotaPerUnit) }) }
        : quota > account.aff_quota
          ? { quota: t("transfer.tooMuch", { amount: formatQuota(account.aff_quota) }) }
          : {};
    const isDone = await attempt(found, () => call(transferRewards, { body: { quota: quota ?? 0 } }));
    if (!isDone) return false;
    await refresh();
    toast.success(t("transfer.done", { amount: formatQuota(quota ?? 0) }));
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
        leftSection={isCurrency ? "$" : undefined}
        value={text}
        error={errors.quota}
        onChange={(event) => {
          setText(event.currentTarget.value);
          clear();
        }}
      />
    </FormDialog>
  );
}
