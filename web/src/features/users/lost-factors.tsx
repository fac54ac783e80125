/** Help for a user who lost their phone and keys: removes the authenticator app, recovery codes and passkeys of the account. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { removeFactorsOf } from "../../../../contract/src/features/factors.ts";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { call } from "../../lib/api.ts";
import { apart } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { withStepUp } from "../../ui/feedback/step-up.ts";
import { FormSection } from "../../ui/form/form-drawer.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import styles from "./users.module.css";

export function LostFactors({ user }: { user: ManagedUser }) {
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
        <BusyButton isBusy={isBusy} data-tone="danger" onClick={() => void remove()}>
          {t("factors.begin")}
        </BusyButton>
        <p>{t("factors.help")}</p>
      </div>
    </FormSection>
  );
}
