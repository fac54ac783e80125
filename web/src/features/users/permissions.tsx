/** What an administrator may do, in the user's drawer: one switch an act, for the super administrator. */
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { setPermissions, type ManagedUser } from "../../../../contract/src/features/users.ts";
import { PERMISSIONS, type Permission } from "../../../../contract/src/permissions.ts";
import { call } from "../../lib/api.ts";
import { apart } from "../../lib/names.ts";
import { withStepUp } from "../../ui/feedback/step-up.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { Toggle } from "../../ui/form/fields.tsx";
import { FormSection } from "../../ui/form/form-drawer.tsx";

/** @param held what the account may do as it is stored */
export function Permissions({ user, held }: { user: ManagedUser; held: readonly Permission[] }) {
  const { t } = useTranslation("permissions");
  const client = useQueryClient();
  const [stored, setStored] = useState(held);
  const [granted, setGranted] = useState(held);
  const [isBusy, setIsBusy] = useState(false);
  const isChanged = PERMISSIONS.some((permission) => stored.includes(permission) !== granted.includes(permission));
  const set = (permission: Permission, isOn: boolean) =>
    setGranted(PERMISSIONS.filter((each) => (each === permission ? isOn : granted.includes(each))));
  const save = async () => {
    setIsBusy(true);
    try {
      const body = { permissions: [...granted] };
      const saved = await withStepUp(() => call(setPermissions, { params: { id: user.id }, body }));
      // Undefined where the super administrator gave up confirming: what is chosen stays.
      if (saved === undefined) return;
      setStored(saved.admin_permissions ?? granted);
      toast.success(t("saved", { name: apart(user.username) }));
      await client.invalidateQueries({ queryKey: ["users", "list"] });
    } catch (error) {
      toast.error(error, t("notSaved"));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <FormSection title={t("title")}>
      <p>{t("help")}</p>
      {PERMISSIONS.map((permission) => (
        <Toggle
          key={permission}
          isOn={granted.includes(permission)}
          label={t(`name.${permission}`)}
          text={t(`text.${permission}`)}
          onChange={(isOn) => set(permission, isOn)}
        />
      ))}
      <div>
        <Button disabled={!isChanged} loading={isBusy} onClick={() => void save()}>
          {t("save")}
        </Button>
      </div>
    </FormSection>
  );
}
