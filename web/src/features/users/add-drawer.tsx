/** The drawer that makes a user: name, display name, password. */
import { useTranslation } from "../../lib/i18n.ts";
import { apart } from "../../lib/names.ts";
import { FormDrawer } from "../../ui/form/form-drawer.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { AccountFields, useUserForm } from "./form-fields.tsx";
import type { UserForm } from "./model/user-form.ts";
import { useCreateUser } from "./queries.ts";

export function AddDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("users");
  const state = useUserForm();
  const create = useCreateUser();
  const send = async ({ username, password, displayName }: UserForm) => {
    const body = { username: username.trim(), password, display_name: displayName.trim() };
    await create.mutateAsync(body);
    onClose();
    toast.success(t("created", { name: apart(body.username) }));
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("create")}
      isDirty={state.isDirty}
      onSubmit={() => state.submit(send, { failed: t("notCreated") })}
      submitLabel={t("create")}
      hint={t("form.newHint")}
    >
      <AccountFields state={state} isNew isOwn={false} />
    </FormDrawer>
  );
}
