/** Changes the own password in a dialog; an account without one sets its first. */
import { useTranslation } from "../../../lib/i18n.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { type Account, useRefreshAccount } from "../queries.ts";
import { usePasswordChange } from "./password-fields.tsx";

export function PasswordChangeDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const { fields, save } = usePasswordChange(account);
  const refresh = useRefreshAccount();
  const submit = async () => {
    if (!(await save())) return false;
    await refresh();
    toast.success(t("password.done"), t("password.doneText"));
    onClose();
    return true;
  };
  return (
    <FormDialog
      title={t(account.has_password ? "password.title" : "password.first")}
      text={t("password.text")}
      submitLabel={t("password.submit")}
      onSubmit={submit}
      onClose={onClose}
    >
      {fields}
    </FormDialog>
  );
}
