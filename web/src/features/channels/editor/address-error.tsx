/** The error of an address that is not allowed, with the switch for whoever may change it. */
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { updateOption } from "../../../../../contract/src/features/options.ts";
import { ROLE } from "../../../../../contract/src/roles.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { viewer } from "../../../lib/viewer.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { FieldLink } from "../../../ui/form/fields.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import styles from "./editor.module.css";

const PasswordDialog = lazy(async () => ({
  default: (await import("../../../ui/feedback/password-dialog.tsx")).PasswordDialog,
}));

/** @param onAllowed the address may be tried again */
export function AddressError({ message, onAllowed }: { message: ReactNode; onAllowed: () => void }) {
  const { t } = useTranslation("channels");
  const [isAsking, setIsAsking] = useState(false);
  const mayChange = (viewer()?.role ?? 0) >= ROLE.root;

  const allow = async () => {
    try {
      await call(updateOption, { body: { key: "AllowPrivateUpstreamsEnabled", value: "true" } });
      setIsAsking(false);
      toast.success(t("private.done"));
      onAllowed();
    } catch (error) {
      if (error instanceof ApiError && error.code === "step_up_required") setIsAsking(true);
      else toast.error(error, t("notChanged", { name: "AllowPrivateUpstreamsEnabled" }));
    }
  };
  const ask = async () => {
    if (
      await confirm({ title: t("private.title"), text: t("private.text"), action: t("private.action"), tone: "plain" })
    )
      await allow();
  };
  return (
    <span className={styles.addressError}>
      <span>{message}</span>
      {mayChange && <FieldLink onClick={() => void ask()}>{t("private.allow")}</FieldLink>}
      <Suspense fallback={null}>
        {isAsking && <PasswordDialog onConfirmed={() => void allow()} onClose={() => setIsAsking(false)} />}
      </Suspense>
    </span>
  );
}
