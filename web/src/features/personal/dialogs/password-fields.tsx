/** The fields of a new password and what becomes of them: the old one, the new one and its repeat; the new one must differ. */
import { PasswordInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { updateSelf } from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { PasswordRules } from "../../../ui/form/password-rules.tsx";
import { useRefusals } from "../../../ui/form/refusals.ts";
import { checkNewPassword, type PasswordForm } from "../model/password.ts";
import type { Account } from "../queries.ts";

const BLANK: PasswordForm = { original_password: "", password: "", repeat: "" };

/** `save` resolves false where a field is wrong, which is shown at it. An account without a password sets its first. */
export function usePasswordChange(account: Account): { fields: ReactNode; save: () => Promise<boolean> } {
  const { t } = useTranslation("personal");
  const [form, setForm] = useState(BLANK);
  const { errors, attemptConfirmed, clear } = useRefusals<keyof PasswordForm>([
    "original_password",
    "password",
    "repeat",
  ]);
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
  const save = () => {
    const wrong = checkNewPassword(form, account.has_password);
    const found = wrong === undefined ? {} : { [wrong.field]: t(`password.${wrong.key}`) };
    const { original_password, password } = form;
    return attemptConfirmed(found, () => call(updateSelf, { body: { original_password, password } }));
  };
  const fields = (
    <>
      {account.has_password && <PasswordInput data-autofocus {...field("original_password", "current-password")} />}
      <div>
        <PasswordInput data-autofocus={!account.has_password} {...field("password", "new-password")} />
        <PasswordRules password={form.password} names={[account.username, account.email]} />
      </div>
      <PasswordInput {...field("repeat", "new-password")} />
    </>
  );
  return { fields, save };
}
