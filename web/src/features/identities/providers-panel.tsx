/** The panel of the settings page with the OpenID and OAuth 2.0 providers that have names of their own, beside the one of the options. */
import { Button } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import { apart } from "../../lib/names.ts";
import { useRole } from "../../lib/viewer.ts";
import { RowButton, RowMenu } from "../../ui/data-table/row-actions.tsx";
import { CopyButton } from "../../ui/display/copy.tsx";
import { StatusDot } from "../../ui/display/tags.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { Empty, ErrorState } from "../../ui/feedback/empty.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { ManagedSign, useManagedQuestion, useMark } from "../../ui/managed.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { callbackAddress } from "../../ui/identities/callback-address.tsx";
import { IdentityMark } from "../../ui/identities/identity-mark.tsx";
import { type Provider, providersQuery, useDeleteProvider } from "./queries.ts";
import styles from "./identities.module.css";

const ProviderDrawer = lazy(async () => ({ default: (await import("./provider-drawer.tsx")).ProviderDrawer }));

/** Where it is: of its description, else of its endpoints. */
const hostOf = ({ well_known, token_endpoint }: Provider): string =>
  URL.parse(well_known)?.host ?? URL.parse(token_endpoint)?.host ?? "";

function ProviderRow({ provider, onEdit }: { provider: Provider; onEdit: () => void }) {
  const { t } = useTranslation("identities");
  const remove = useDeleteProvider();
  const mark = useMark("provider", provider.id);
  const mayChange = useManagedQuestion();
  const { name, slug, is_enabled: isOn } = provider;
  const ask = async () => {
    const question = {
      title: t("delete.title", { name: apart(name) }),
      text: t("delete.text"),
      action: t("delete.action"),
    };
    if (!(await mayChange([mark])) || !(await confirm(question))) return;
    try {
      if ((await remove.mutateAsync(provider)) === true) toast.success(t("delete.done", { name: apart(name) }));
    } catch (error) {
      toast.error(error, t("delete.failed", { name: apart(name) }));
    }
  };
  return (
    <li className={styles.row}>
      <span className={styles.mark}>
        <IdentityMark provider={slug} />
      </span>
      <div className={styles.words}>
        <span className={styles.name}>{name}</span>
        <span className={styles.host}>{hostOf(provider)}</span>
        <ManagedSign mark={mark} hasName />
      </div>
      <div className={styles.callback}>
        <code>/oauth/{slug}</code>
        <CopyButton text={callbackAddress(slug)} label={t("copyCallback", { name: apart(name) })} />
      </div>
      <span className={styles.status}>
        <StatusDot tone={isOn ? "green" : "idle"}>{t(isOn ? "on" : "off")}</StatusDot>
      </span>
      <div className={styles.acts}>
        <RowButton onClick={onEdit}>{t("edit")}</RowButton>
        <RowMenu
          about={apart(name)}
          items={[
            {
              label: t("delete.action"),
              icon: <IconTrash size={15} stroke={1.5} />,
              tone: "danger",
              onPick: () => void ask(),
            },
          ]}
        />
      </div>
    </li>
  );
}

/** As tall as two rows. */
const Ghost = () => (
  <div className={styles.ghost} data-is-ghost aria-hidden>
    <i />
    <i />
  </div>
);

/** The drawer that is open: of a provider, or of a new one. */
type Open = { provider: Provider | undefined };

export function ProvidersPanel() {
  const { t } = useTranslation("identities");
  const mayManage = isRoot(useRole());
  const query = useQuery({ ...providersQuery, enabled: mayManage });
  const [open, setOpen] = useState<Open>();
  if (!mayManage) return <Notice tone="blue">{t("rootOnly")}</Notice>;
  if (query.error !== null && query.data === undefined)
    return <ErrorState title={t("notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Ghost />;
  const add = (
    <Button leftSection={<IconPlus size={15} stroke={1.5} />} onClick={() => setOpen({ provider: undefined })}>
      {t("add")}
    </Button>
  );
  return (
    <div className={styles.panel}>
      {query.data.length === 0 ? (
        <Empty title={t("empty.title")} sentence={t("empty.text")} actions={add} />
      ) : (
        <>
          <ul className={styles.rows}>
            {query.data.map((provider) => (
              <ProviderRow key={provider.id} provider={provider} onEdit={() => setOpen({ provider })} />
            ))}
          </ul>
          {add}
        </>
      )}
      <Suspense fallback={null}>
        {open !== undefined && <ProviderDrawer provider={open.provider} onClose={() => setOpen(undefined)} />}
      </Suspense>
    </div>
  );
}
