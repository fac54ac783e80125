/** Creates an access token with a name, a scope and an expiry, and shows its value once. */
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import {
  ACCESS_TOKEN_NAME_MAX,
  ACCESS_TOKEN_SCOPES,
  type AccessTokenScope,
  makeAccessToken,
} from "../../../../../contract/src/features/personal.ts";
import { call } from "../../../lib/api.ts";
import { copyText } from "../../../lib/clipboard.ts";
import { Copy } from "../../../ui/display/copy.tsx";
import { Dialog } from "../../../ui/feedback/dialog.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { Segmented } from "../../../ui/form/fields.tsx";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import styles from "../../../ui/form/form-dialog.module.css";
import { sameNames, useForm } from "../../../ui/form/use-form.ts";
import { useRefreshAccount } from "../queries.ts";
import { useRefreshSecurity } from "../security/queries.ts";

const LAYER = 300;
const DAY_SECONDS = 86_400;

/** Days after which it ends; 0 never. */
const LIFETIMES = ["30", "90", "365", "0"] as const;
type Lifetime = (typeof LIFETIMES)[number];

const endOf = (lifetime: Lifetime): number =>
  lifetime === "0" ? 0 : Math.floor(Date.now() / 1000) + Number(lifetime) * DAY_SECONDS;

function Made({ value, onClose }: { value: string; onClose: () => void }) {
  const { t } = useTranslation("personal");
  return (
    <Dialog isOpen onClose={onClose} title={t("token.made")} layer={LAYER} closesByButtonOnly>
      <p className={styles.text}>{t("token.once")}</p>
      <div className={styles.fields}>
        <Copy text={value} label={t("token.label")} isIconShown>
          <span className={`mono ${styles.secret}`}>{value}</span>
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

interface TokenForm {
  name: string;
  scope: AccessTokenScope;
  lifetime: Lifetime;
}

export function AccessTokenDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("personal");
  const form = useForm({
    start: (): TokenForm => ({ name: "", scope: "read", lifetime: "90" }),
    check: ({ name }) => (name.trim() === "" ? { name: t("token.nameMissing") } : {}),
    refusedField: sameNames(["name", "expires_time"]),
  });
  const [refreshAccount, refreshSecurity] = [useRefreshAccount(), useRefreshSecurity()];
  const [value, setValue] = useState<string>();
  const create = () =>
    form.submitConfirmed(async ({ name, scope, lifetime }) => {
      const made = await call(makeAccessToken, { body: { name, scope, expires_time: endOf(lifetime) } });
      setValue(made.value);
      if (await copyText(made.value)) toast.success(t("token.done"));
      await Promise.all([refreshAccount(), refreshSecurity()]);
    });
  if (value !== undefined) return <Made value={value} onClose={onClose} />;
  return (
    <FormDialog
      title={t("token.create")}
      text={t("token.text")}
      submitLabel={t("token.create")}
      onSubmit={create}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label={t("token.name")}
        maxLength={ACCESS_TOKEN_NAME_MAX}
        autoComplete="off"
        value={form.values.name}
        error={form.errorOf("name")}
        onChange={(event) => form.change({ name: event.currentTarget.value })}
      />
      <div>
        <Segmented
          label={t("token.scope")}
          options={ACCESS_TOKEN_SCOPES.map((each) => ({ value: each, text: t(`token.scopes.${each}`) }))}
          value={form.values.scope}
          onChange={(scope) => form.change({ scope })}
        />
        <p className={styles.text}>{t(`token.scopeHelp.${form.values.scope}`)}</p>
      </div>
      <Segmented
        label={t("token.lifetime")}
        options={LIFETIMES.map((each) => ({ value: each, text: t(`token.lifetimes.${each}`) }))}
        value={form.values.lifetime}
        onChange={(lifetime) => form.change({ lifetime })}
      />
    </FormDialog>
  );
}
