/** The drawer that makes a user: name, display name, password. */
import { useTranslation } from "react-i18next";
import { apart } from "../../lib/names.ts";
import { FormDrawer } from "../../ui/form/form-drawer.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { AccountFields } from "./form-fields.tsx";
import { useUserForm } from "./form-state.ts";
import { useCreateUser } from "./queries.ts";

export function AddDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("users");
  const state = useUserForm();
  const create = useCreateUser();
  const { form } = state;
  const save = async () => {
    if (!state.check()) return false;
    const body = { username: form.username.trim(), password: form.password, display_name: form.displayName.trim() };
    try {
      await create.mutateAsync(body);
    } catch (error) {
      state.takeRefusal(error, t("notCreated"));
      return false;
    }
    onClose();
    toast.success(t("created", { name: apart(body.username) }));
    return true;
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("create")}
      isDirty={state.isDirty}
      onSubmit={save}
      submitLabel={t("create")}
      hint={t("form.newHint")}
    >
      <AccountFields state={state} isNew isOwn={false} />
    </FormDrawer>
  );
}
