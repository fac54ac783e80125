/** Accounts of other sites that are bound to a user, each with a button that unbinds it after a question. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { listBindingsOf, type ManagedBinding, unbindOf } from "../../../../contract/src/features/identities.ts";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { call } from "../../lib/api.ts";
import { apart } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Name } from "../../ui/display/name.tsx";
import { Faint } from "../../ui/display/tags.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { withStepUp } from "../../ui/feedback/step-up.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { FormSection } from "../../ui/form/form-drawer.tsx";
import { nameOfWay } from "../../ui/identities/ways.ts";
import styles from "./users.module.css";

const bindingsQuery = (id: number) => ({
  queryKey: ["users", "bindings", id],
  queryFn: ({ signal }: { signal: AbortSignal }) => call(listBindingsOf, { params: { id }, signal }),
});

function UnbindButton({ user, binding }: { user: ManagedUser; binding: ManagedBinding }) {
  const { t } = useTranslation(["users", "ui"]);
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const site = nameOfWay(t, binding);
  const name = apart(user.username);
  const unbind = async () => {
    const isSure = await confirm({
      title: t("unbind.title", { site, name }),
      text: t(binding.is_last ? "unbind.lastText" : "unbind.text"),
      action: t("unbind.action"),
      tone: "danger",
    });
    if (!isSure) return;
    setIsBusy(true);
    try {
      const params = { id: user.id, type: binding.provider };
      const query = { last: binding.is_last };
      // True once it is gone; undefined where the administrator gave up confirming.
      const isDone = await withStepUp(() => call(unbindOf, { params, query }).then(() => true));
      if (isDone !== true) return;
      toast.success(t("unbind.done", { site }));
      await client.invalidateQueries({ queryKey: bindingsQuery(user.id).queryKey });
    } catch (error) {
      toast.error(error, t("unbind.failed", { site }));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <BusyButton
      isBusy={isBusy}
      data-tone="danger"
      aria-label={t("unbind.label", { site })}
      onClick={() => void unbind()}
    >
      {t("unbind.action")}
    </BusyButton>
  );
}

/** People take their own away in their personal settings. */
export function BoundAccounts({ user, isOwn }: { user: ManagedUser; isOwn: boolean }) {
  const { t } = useTranslation(["users", "ui"]);
  const query = useQuery({ ...bindingsQuery(user.id), enabled: !isOwn });
  if (query.error !== null && query.data === undefined)
    return <ErrorState title={t("bound.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  const bindings = query.data ?? [];
  return (
    <FormSection title={t("form.bound")}>
      <dl className={styles.accounts}>
        <div className={styles.accountRow}>
          <dt>{t("bound.email")}</dt>
          <dd>{user.email === "" ? <Faint>{t("bound.none")}</Faint> : <Name text={user.email} />}</dd>
        </div>
        {bindings.map((binding) => (
          <div key={binding.provider} className={styles.accountRow}>
            <dt>{nameOfWay(t, binding)}</dt>
            <dd className={styles.account}>
              <Name text={binding.login} />
              <UnbindButton user={user} binding={binding} />
            </dd>
          </div>
        ))}
      </dl>
      {!isOwn && query.data?.length === 0 && <p className={styles.second}>{t("bound.noOthers")}</p>}
      {isOwn && <p className={styles.second}>{t("bound.own")}</p>}
    </FormSection>
  );
}
