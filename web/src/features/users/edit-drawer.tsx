/** The drawer that edits a user: name, password, group, a signed change of the balance; and the accounts of other sites that are bound. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { isRoot, ROLE } from "../../../../contract/src/roles.ts";
import { apart } from "../../lib/names.ts";
import { useMay, useViewer } from "../../lib/viewer.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { FormDrawer, SideDrawer, FormSection } from "../../ui/form/form-drawer.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Permissions } from "./permissions.tsx";
import { BoundAccounts } from "./bound-accounts.tsx";
import { UserRole, UserStatus } from "./columns.tsx";
import { AccountFields, AllowanceFields, useUserForm } from "./form-fields.tsx";
import { changeOf, newChangeId, type UserForm } from "./model/user-form.ts";
import { groupsQuery, useUpdateUser, userQuery } from "./queries.ts";
import { removeFactorsOf } from "../../../../contract/src/features/factors.ts";
import { call } from "../../lib/api.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { withStepUp } from "../../ui/feedback/step-up.ts";
import styles from "./users.module.css";

/** Says whether there is a second factor, and removes it for a user who lost their phone and keys: app, recovery codes and passkeys. */
function LostFactors({ user }: { user: ManagedUser }) {
  const { t } = useTranslation("users");
  const [isBusy, setIsBusy] = useState(false);
  const name = apart(user.username);
  const remove = async () => {
    const isSure = await confirm({
      title: t("factors.title", { name }),
      text: t("factors.text"),
      action: t("factors.remove"),
    });
    if (!isSure) return;
    setIsBusy(true);
    try {
      const removed = await withStepUp(() => call(removeFactorsOf, { params: { id: user.id } }));
      if (removed === undefined) return;
      const hadSome = removed.totp || removed.passkeys > 0;
      if (hadSome) toast.success(t("factors.removed", { name }));
      else toast.info(t("factors.none", { name }));
    } catch (error) {
      toast.error(error, t("factors.notRemoved"));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <FormSection title={t("factors.section")}>
      <div className={styles.lostFactors}>
        {user.has_second_factor === false ? (
          <p>{t("person.security.noFactor")}</p>
        ) : (
          <>
            <BusyButton isBusy={isBusy} data-tone="danger" onClick={() => void remove()}>
              {t("factors.begin")}
            </BusyButton>
            <p>
              {user.has_second_factor === true && t("factors.isOn")} {t("factors.help")}
            </p>
          </>
        )}
      </div>
    </FormSection>
  );
}

interface EditorProps {
  user: ManagedUser;
  groups: readonly string[];
  onClose: () => void;
}

function Editor({ user, groups, onClose }: EditorProps) {
  const { t } = useTranslation("users");
  const viewer = useViewer();
  const isOwn = viewer?.id === user.id;
  const isRootViewer = isRoot(viewer?.role ?? 0);
  const mayChange = useMay("users");
  const mayPay = useMay("money");
  const state = useUserForm(user);
  const update = useUpdateUser();
  // One for each opening: Save pressed again after an answer was lost does not move the balance twice.
  const [changeId] = useState(newChangeId);
  const send = async (values: UserForm) => {
    const body = { ...changeOf(user, values, state.view), change_id: changeId };
    if (Object.keys(body).length > 2) {
      const saved = await update.mutateAsync(body);
      if (saved === undefined) return false;
      toast.success(t("saved", { name: apart(saved.username) }));
    } else toast.info(t("nothingChanged"));
    onClose();
    return true;
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("editTitle", { name: apart(user.username) })}
      beside={
        <>
          <UserRole role={user.role} /> <UserStatus user={user} />
        </>
      }
      isDirty={state.isDirty}
      onSubmit={() => state.submit(send, { failed: t("notSaved") })}
      submitLabel={t("save")}
    >
      <fieldset className={styles.part} disabled={!mayChange}>
        <AccountFields state={state} isNew={false} isOwn={isOwn} />
      </fieldset>
      <fieldset className={styles.part} disabled={!mayPay}>
        <AllowanceFields user={user} state={state} groups={groups} />
      </fieldset>
      {isRootViewer && user.role === ROLE.admin && <Permissions user={user} held={user.admin_permissions ?? []} />}
      {mayChange && <BoundAccounts user={user} isOwn={isOwn} />}
      {mayChange && !isOwn && <LostFactors user={user} />}
    </FormDrawer>
  );
}

/** Keeps what the drawer was opened with: a list fetched again meanwhile must not change what is being edited. */
function LoadedEditor(props: EditorProps) {
  const [user] = useState(props.user);
  return <Editor {...props} user={user} />;
}

export function EditDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation("users");
  const user = useQuery(userQuery(id));
  const groups = useQuery(groupsQuery);
  const error = user.error ?? groups.error;
  if (user.data !== undefined && groups.data !== undefined)
    return <LoadedEditor key={id} user={user.data} groups={groups.data} onClose={onClose} />;
  return (
    <SideDrawer isOpen onClose={onClose} title={t("edit")}>
      {error ? (
        <ErrorState
          title={t("notLoadedOne")}
          error={error}
          onRetry={() => void Promise.all([user.refetch(), groups.refetch()])}
        />
      ) : (
        <p role="status">{t("loading")}</p>
      )}
    </SideDrawer>
  );
}
