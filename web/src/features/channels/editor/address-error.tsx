/** The error of an address that is not allowed, with the switch for root, and for others who may change it. */
import type { ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { updateOption } from "../../../../../contract/src/features/options.ts";
import { ROLE } from "../../../../../contract/src/roles.ts";
import { callFull } from "../../../lib/api.ts";
import { viewer } from "../../../lib/viewer.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { FieldLink } from "../../../ui/form/fields.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import styles from "./editor.module.css";

const SETTING = "/setting?tab=system&section=site&option=AllowPrivateUpstreamsEnabled";

/** @param onAllowed the address may be tried again */
export function AddressError({ message, onAllowed }: { message: ReactNode; onAllowed: () => void }) {
  const { t } = useTranslation("channels");
  const mayChange = (viewer()?.role ?? 0) >= ROLE.root;

  const allow = async () => {
    try {
      const change = { key: "AllowPrivateUpstreamsEnabled", value: "true" };
      const done = await withStepUp(() => callFull(updateOption, { body: change }));
      if (done === undefined) return;
      toast.success(t("private.done"));
      onAllowed();
    } catch (error) {
      toast.error(error, t("notChanged", { name: "AllowPrivateUpstreamsEnabled" }));
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
      {mayChange ? (
        <span className={styles.addressLinks}>
          <FieldLink onClick={() => void ask()}>{t("private.allow")}</FieldLink>
          {/* Another tab: what is typed here stays. */}
          <a href={SETTING} target="_blank" rel="noreferrer">
            {t("private.setting")}
          </a>
        </span>
      ) : (
        <span>{t("private.ask")}</span>
      )}
    </span>
  );
}
