/** Completes an order by hand: the user, the credit, and the reference of the payment. */
import { TextInput } from "@mantine/core";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ManagedOrder } from "../../../../../contract/src/payments/orders.ts";
import { formatQuota } from "../../../lib/format.ts";
import { apart } from "../../../lib/names.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { OptionalLabel } from "../../../ui/form/fields.tsx";
import { sameNames, useForm } from "../../../ui/form/use-form.ts";
import { useMoney } from "../order-parts.tsx";
import { useComplete } from "../queries.ts";

export function CompleteDialog({ order, onClose }: { order: ManagedOrder; onClose: () => void }) {
  const { t } = useTranslation("wallet");
  const money = useMoney();
  const form = useForm({
    start: () => ({ reference: "" }),
    check: () => ({}),
    refusedField: sameNames(["reference"]),
  });
  const complete = useComplete();
  const values = {
    name: apart(order.username),
    amount: formatQuota(order.quota),
    money: money(order.money, order.currency),
  };
  const submit = async () => {
    const isDone = await form.submit(async ({ reference }) => {
      const completed = await complete.mutateAsync({ id: order.id, reference: reference.trim() });
      return completed !== undefined;
    });
    if (!isDone) return false;
    toast.success(t("complete.done"), t("complete.credited", values));
    onClose();
    return true;
  };
  return (
    <FormDialog
      title={t("complete.title")}
      text={t("complete.text", values)}
      submitLabel={t("complete.submit", values)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label={<OptionalLabel>{t("complete.reference")}</OptionalLabel>}
        description={form.errorOf("reference") === undefined ? t("complete.referenceHelp") : undefined}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={form.errorOf("reference")}
        maxLength={255}
        value={form.values.reference}
        onChange={(event) => form.change({ reference: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
