/** The fields of a password change and sending it: the old password, the new one and its repeat. */
import { PasswordInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { updateSelf } from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { PasswordRules } from "../../../ui/form/password-rules.tsx";
import { sameNames, useForm } from "../../../ui/form/use-form.ts";
import { checkNewPassword, type PasswordForm } from "../model/profile.ts";
import type { Account } from "../queries.ts";

const BLANK: PasswordForm = { original_password: "", password: "", repeat: "" };

/** `save` resolves false where a field is wrong, which is shown at it. An account without a password sets its first. */
export function usePasswordChange(account: Account): { fields: ReactNode; save: () => Promise<boolean> } {
  const { t } = useTranslation("personal");
  const form = useForm<PasswordForm, keyof PasswordForm>({
    start: () => BLANK,
    check: (values) => {
      const wrong = checkNewPassword(values, account.has_password);
      return wrong === undefined ? {} : { [wrong.field]: t(`password.${wrong.key}`) };
    },
    refusedField: sameNames(["original_password", "password", "repeat"]),
    onChange: "clear-all",
  });
  const field = (name: keyof PasswordForm, autoComplete: string) => ({
    label: t(`password.${name}`),
    autoComplete,
    value: form.values[name],
    error: form.errorOf(name),
    visibilityToggleButtonProps: { "aria-label": t("password.show") },
    onChange: (event: { currentTarget: { value: string } }) => form.change({ [name]: event.currentTarget.value }),
  });
  const save = () =>
    form.submitConfirmed(({ original_password, password }) =>
      call(updateSelf, { body: { original_password, password } }),
    );
  const fields = (
    <>
      {account.has_password && <PasswordInput data-autofocus {...field("original_password", "current-password")} />}
      <div>
        <PasswordInput data-autofocus={!account.has_password} {...field("password", "new-password")} />
        <PasswordRules password={form.values.password} names={[account.username, account.email]} />
      </div>
      <PasswordInput {...field("repeat", "new-password")} />
    </>
  );
  return { fields, save };
}
