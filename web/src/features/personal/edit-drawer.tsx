/** The drawer of /user/edit: one's own user name, display name and password. */
import { PasswordInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { updateSelf } from "../../../../contract/src/features/personal.ts";
import { call } from "../../lib/api.ts";
import { setViewer, viewer } from "../../lib/viewer.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { FormDrawer, FormSection } from "../../ui/form/form-drawer.tsx";
import { PasswordRules } from "../../ui/form/password-rules.tsx";
import { changedProfile, checkProfile, type ProfileForm, profileForm } from "./model/profile.ts";
import { type Account, useRefreshAccount } from "./queries.ts";
import { useRefusals } from "../../ui/form/refusals.ts";

const FIELDS = ["username", "display_name", "original_password", "password"] as const;

export function EditDrawer({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const [form, setForm] = useState(() => profileForm(account));
  const { errors, attemptConfirmed, clear } = useRefusals(FIELDS);
  const refresh = useRefreshAccount();
  const body = changedProfile(form, account);
  const field = (name: keyof ProfileForm) => ({
    label: t(`edit.${name}`),
    value: form[name],
    error: errors[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      setForm({ ...form, [name]: event.currentTarget.value });
      clear();
    },
  });
  const secret = { visibilityToggleButtonProps: { "aria-label": t("password.show") } };
  const submit = async () => {
    const wrong = checkProfile(form, account.has_password);
    const found = wrong === undefined ? {} : { [wrong.field]: t(`edit.${wrong.key}`) };
    if (!(await attemptConfirmed(found, () => call(updateSelf, { body })))) return false;
    const known = viewer();
    // The shell shows the name that this browser keeps.
    if (known !== null)
      setViewer({ ...known, username: body.username ?? known.username, display_name: form.display_name.trim() });
    await refresh();
    toast.success(t("edit.done"));
    onClose();
    return true;
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("edit.title")}
      isDirty={Object.keys(body).length > 0}
      onSubmit={submit}
      submitLabel={t("settings.save")}
    >
      <FormSection>
        <TextInput {...field("username")} autoComplete="username" spellCheck={false} />
        <TextInput {...field("display_name")} autoComplete="nickname" />
      </FormSection>
      <FormSection title={t("edit.passwordTitle")}>
        {account.has_password && (
          <PasswordInput {...field("original_password")} {...secret} autoComplete="current-password" />
        )}
        <div>
          <PasswordInput
            {...field("password")}
            {...secret}
            autoComplete="new-password"
            description={errors.password ? undefined : t("edit.passwordHelp")}
            inputWrapperOrder={["label", "input", "description", "error"]}
          />
          {form.password !== "" && <PasswordRules password={form.password} names={[form.username, account.email]} />}
        </div>
      </FormSection>
    </FormDrawer>
  );
}
