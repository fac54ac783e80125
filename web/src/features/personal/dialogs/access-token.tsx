/** Makes a new access token and shows it this once; the one before ends. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { createAccessToken } from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { copyText } from "../../../lib/clipboard.ts";
import { Copy } from "../../../ui/display/copy.tsx";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import styles from "../../../ui/form/form-dialog.module.css";
import { type Account, useRefreshAccount } from "../queries.ts";
import { useRefusals } from "../../../ui/form/refusals.ts";

const LAYER = 300;

export function AccessTokenDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation("personal");
  const { attempt } = useRefusals([]);
  const refresh = useRefreshAccount();
  const [token, setToken] = useState<string>();
  const create = () =>
    attempt({}, async () => {
      const made = await call(createAccessToken, {});
      setToken(made);
      await refresh();
      if (await copyText(made)) toast.success(t("token.done"));
    });
  if (token === undefined)
    return (
      <FormDialog
        title={t(account.has_access_token ? "token.reset" : "token.create")}
        text={t(account.has_access_token ? "token.resetText" : "token.text")}
        submitLabel={t(account.has_access_token ? "token.reset" : "token.create")}
        onSubmit={create}
        onClose={onClose}
      >
        {null}
      </FormDialog>
    );
  return (
    <Dialog isOpen onClose={onClose} title={t("token.made")} layer={LAYER}>
      <p className={styles.text}>{t("token.once")}</p>
      <div className={styles.fields}>
        <Copy text={token} label={t("token.label")} isIconShown>
          <span className={`mono ${styles.secret}`}>{token}</span>
        </Copy>
      </div>
      <div className={styles.actions}>
        <Button variant="filled" data-autofocus onClick={onClose}>
          {t("token.close")}
        </Button>
      </div>
    </Dialog>
  );
}
