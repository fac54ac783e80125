/** Changes the own password: the old one, the new one and its repeat; the new one must differ. An account without one sets its first. */
import { PasswordInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { updateSelf } from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { checkNewPassword, type PasswordForm } from "../model/password.ts";
import { type Account, useRefreshAccount } from "../queries.ts";
import { useRefusals } from "../../../ui/form/refusals.ts";

const BLANK: PasswordForm = { original_password: "", password: "", repeat: "" };

export function PasswordChangeDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const [form, setForm] = useState(BLANK);
  const { errors, attempt, clear } = useRefusals<keyof PasswordForm>(["original_password", "password", "repeat"]);
  const refresh = useRefreshAccount();
  const field = (name: keyof PasswordForm, autoComplete: string) => ({
    label: t(`password.${name}`),
    autoComplete,
    value: form[name],
    error: errors[name],
    visibilityToggleButtonProps: { "aria-label": t("password.show") },
    onChange: (event: { currentTarget: { value: string } }) => {
      setForm({ ...form, [name]: event.currentTarget.value });
      clear();
    },
  });
  const submit = async () => {
    const wrong = checkNewPassword(form, account.has_password);
    const found = wrong === undefined ? {} : { [wrong.field]: t(`password.${wrong.key}`) };
    const { original_password, password } = form;
    const isDone = await attempt(found, () => call(updateSelf, { body: { original_password, password } }));
    if (!isDone) return false;
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
      {account.has_password && <PasswordInput data-autofocus {...field("original_password", "current-password")} />}
      <PasswordInput data-autofocus={!account.has_password} {...field("password", "new-password")} />
      <PasswordInput {...field("repeat", "new-password")} />
    </FormDialog>
  );
}
