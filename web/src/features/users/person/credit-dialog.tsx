/** Adds to a person's balance or takes from it, with a reason; posted to the ledger once, however often it is sent. */
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { Person } from "../../../../../contract/src/people.ts";
import { QUOTA_REASON_MAX } from "../../../../../contract/src/features/users.ts";
import { formatQuota } from "../../../lib/format.ts";
import { apart } from "../../../lib/names.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { signedQuota, signWidth, useQuotaView } from "../../../ui/form/amount.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { balanceAfter, newChangeId } from "../model/user-form.ts";
import { useUpdateUser } from "../queries.ts";
import styles from "../users.module.css";

const FIELDS: Readonly<Record<string, "amount" | "reason">> = { quota_delta: "amount", reason: "reason" };
const ORDER = ["label", "input", "description", "error"] as const;

function useCreditForm(person: Person) {
  const { t } = useTranslation("users");
  const view = useQuotaView();
  const form = useForm<{ amount: string; reason: string }, "amount" | "reason">({
    start: () => ({ amount: "", reason: "" }),
    check: ({ amount, reason }) => ({
      ...((signedQuota(amount, view) ?? 0) === 0 || balanceAfter(amount, person.quota, view) === undefined
        ? { amount: { key: "amount" } }
        : {}),
      ...(reason.trim() === "" ? { reason: { key: "reasonMissing" } } : {}),
    }),
    sentence: (key) => t(`form.errors.${key}`),
    refusedField: (name) => FIELDS[name],
  });
  return { form, view };
}

export function CreditDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useTranslation("users");
  const { form, view } = useCreditForm(person);
  const update = useUpdateUser();
  const [changeId] = useState(newChangeId);
  const after = balanceAfter(form.values.amount, person.quota, view);
  const send = async () => {
    const isDone = await form.submit(
      async ({ amount, reason }) => {
        const quota_delta = signedQuota(amount, view) ?? 0;
        const body = { id: person.id, quota_delta, reason: reason.trim(), change_id: changeId };
        return (await update.mutateAsync(body)) !== undefined;
      },
      { failed: t("notSaved") },
    );
    if (!isDone) return false;
    toast.success(t("person.credit.done", { name: apart(person.username) }));
    onClose();
    return true;
  };
  return (
    <FormDialog
      title={t("person.credit.title", { name: apart(person.username) })}
      submitLabel={t("person.credit.submit")}
      onSubmit={send}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label={t("form.amount")}
        placeholder={view.sign === undefined ? "+500000" : "+5.00"}
        autoComplete="off"
        inputWrapperOrder={[...ORDER]}
        description={form.errorOf("amount") ? undefined : t("form.amountHelp")}
        error={form.errorOf("amount")}
        leftSection={view.sign}
        leftSectionWidth={signWidth(view)}
        value={form.values.amount}
        onChange={(event) => form.change({ amount: event.currentTarget.value })}
      />
      <TextInput
        label={t("person.credit.reason")}
        inputWrapperOrder={[...ORDER]}
        description={form.errorOf("reason") ? undefined : t("person.credit.reasonHelp")}
        error={form.errorOf("reason")}
        maxLength={QUOTA_REASON_MAX}
        value={form.values.reason}
        onChange={(event) => form.change({ reason: event.currentTarget.value })}
      />
      <p className={styles.balance} role="status">
        <span>
          {t("form.balanceNow")} <b>{formatQuota(person.quota)}</b>
        </span>
        <span>
          {t("form.balanceAfter")} <b>{after === undefined ? "–" : formatQuota(after)}</b>
        </span>
      </p>
    </FormDialog>
  );
}
