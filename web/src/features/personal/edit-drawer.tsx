/** The drawer of /user/edit: one's own user name, display name and password. */
import { PasswordInput, TextInput } from "@mantine/core";
import { useTranslation } from "../../lib/i18n.ts";
import { updateSelf } from "../../../../contract/src/features/personal.ts";
import { call } from "../../lib/api.ts";
import { setViewer, viewer } from "../../lib/viewer.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { FormDrawer, FormSection } from "../../ui/form/form-drawer.tsx";
import { PasswordRules } from "../../ui/form/password-rules.tsx";
import { changedProfile, checkProfile, type ProfileForm, profileForm } from "./model/profile.ts";
import { type Account, useRefreshAccount } from "./queries.ts";
import { sameNames, useForm } from "../../ui/form/use-form.ts";

const FIELDS = ["username", "display_name", "original_password", "password"] as const;

function useProfileForm(account: Account) {
  const { t } = useTranslation("personal");
  return useForm<ProfileForm, keyof ProfileForm>({
    start: () => profileForm(account),
    check: (values) => {
      const wrong = checkProfile(values, account.has_password);
      return wrong === undefined ? {} : { [wrong.field]: t(`edit.${wrong.key}`) };
    },
    refusedField: sameNames(FIELDS),
    onChange: "clear-all",
  });
}

export function EditDrawer({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const form = useProfileForm(account);
  const { username, display_name, password } = form.values;
  const refresh = useRefreshAccount();
  const body = changedProfile(form.values, account);
  const field = (name: keyof ProfileForm) => ({
    label: t(`edit.${name}`),
    value: form.values[name],
    error: form.errorOf(name),
    onChange: (event: { currentTarget: { value: string } }) => form.change({ [name]: event.currentTarget.value }),
  });
  const secret = { visibilityToggleButtonProps: { "aria-label": t("password.show") } };
  const submit = async () => {
    if (!(await form.submitConfirmed(() => call(updateSelf, { body })))) return false;
    const known = viewer();
    // The shell shows the name that this browser keeps.
    if (known !== null)
      setViewer({ ...known, username: body.username ?? known.username, display_name: display_name.trim() });
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
            description={form.errorOf("password") ? undefined : t("edit.passwordHelp")}
            inputWrapperOrder={["label", "input", "description", "error"]}
          />
          {password !== "" && <PasswordRules password={password} names={[username, account.email]} />}
        </div>
      </FormSection>
    </FormDrawer>
  );
}
