/** The personal page in cards: account, balance, invitations, models, how it is guarded, settings. */
import { Button } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { BalanceCard } from "../../ui/display/balance-card.tsx";
import { CardColumn, CardColumns, CardGhost, Card, Fact, Facts } from "../../ui/display/card.tsx";
import { type Account, selfQuery, ownModelsQuery } from "./queries.ts";
import { SecuritySummary } from "./security-summary.tsx";
import { SettingsCard } from "./settings-card.tsx";
import { isRoot, isAdmin } from "../../../../contract/src/roles.ts";
import { visible } from "../../lib/names.ts";
import { Copy, useCopy } from "../../ui/display/copy.tsx";
import { Tag } from "../../ui/display/tags.tsx";
import { buttonLook, unlessOff, PlainButton } from "../../ui/plain.tsx";
import styles from "./page.module.css";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { serverAddress, useStatus } from "../../lib/status.ts";
import { Quota } from "../../ui/display/quota.tsx";
import { isStoredTrue, STORAGE, writeStored } from "../../lib/storage.ts";
import { ModelMark } from "../../ui/display/provider-mark.tsx";

const SHOWN_FIRST = 10;

function Models({ models }: { models: readonly string[] }) {
  const { t } = useTranslation("personal");
  const [isExpanded, setIsExpanded] = useState(() => isStoredTrue(STORAGE.areModelsExpanded));
  const toggle = () => {
    writeStored(STORAGE.areModelsExpanded, String(!isExpanded));
    setIsExpanded(!isExpanded);
  };
  const hidden = models.length - SHOWN_FIRST;
  return (
    <>
      <ul className={styles.models}>
        {models.slice(0, isExpanded ? undefined : SHOWN_FIRST).map((model) => (
          <li key={model} className={styles.model}>
            <Copy text={model} isIconLate>
              <ModelMark model={model} />
              <span className="mono">{model}</span>
            </Copy>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <PlainButton look="ghost" aria-expanded={isExpanded} onClick={toggle}>
          {isExpanded ? t("models.fewer") : t("models.more", { count: hidden })}
        </PlainButton>
      )}
    </>
  );
}

/** The models the account may call: the first ten, the rest behind one press that is remembered; a click copies a name. */
function ModelsCard() {
  const { t } = useTranslation("personal");
  const query = useQuery(ownModelsQuery);
  const models = query.data ?? [];
  return (
    <Card title={t("models.title")} text={models.length > 0 && t("models.text", { count: models.length })}>
      {query.isPending && <div className={styles.waiting} aria-busy />}
      {query.isError && query.data === undefined && (
        <ErrorState title={t("models.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data?.length === 0 && <p className={styles.none}>{t("models.none")}</p>}
      {models.length > 0 && <Models models={models} />}
    </Card>
  );
}

const TransferDialog = lazy(async () => ({ default: (await import("./dialogs/transfer-dialog.tsx")).TransferDialog }));

function InviteLink({ code }: { code: string }) {
  const { t } = useTranslation("personal");
  const link = `${serverAddress()}/register?aff=${encodeURIComponent(code)}`;
  const { isCopied, copy } = useCopy(link);
  return (
    <div className={styles.link}>
      <input
        className={`mono ${styles.address}`}
        readOnly
        value={link}
        aria-label={t("invitations.link")}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button leftSection={<IconCopy size={15} stroke={1.5} />} onClick={copy}>
        {isCopied ? t("invitations.copied") : t("invitations.copy")}
      </Button>
    </div>
  );
}

/** Rewards of an invitation, for whom and when; none where registration is closed. */
function useEarnings(): string {
  const { t } = useTranslation("personal");
  const { invitee_reward: invitee, inviter_reward: inviter, register_enabled } = useStatus();
  if (!register_enabled || invitee + inviter === 0) return t("invitations.earns.none");
  const side = inviter === 0 ? "invitee" : invitee === 0 ? "inviter" : "both";
  return t(`invitations.earns.${side}`, { invitee: formatQuota(invitee), inviter: formatQuota(inviter) });
}

/** Invitations: the link to share, how many came by it, and what that earned; rewards can be moved to the balance. */
function InvitationsCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const { quota_per_unit } = useStatus();
  const [isOpen, setIsOpen] = useState(false);
  const canMove = account.aff_quota >= quota_per_unit;
  return (
    <Card
      title={t("invitations.title")}
      text={t("invitations.text", { earnings: useEarnings() })}
      action={<Button {...unlessOff(!canMove, () => setIsOpen(true))}>{t("invitations.transfer")}</Button>}
    >
      <Facts>
        <Fact name={t("invitations.count")}>{formatNumber(account.aff_count)}</Fact>
        <Fact name={t("invitations.left")}>
          <Quota quota={account.aff_quota} />
        </Fact>
        <Fact name={t("invitations.earned")}>
          <Quota quota={account.aff_history_quota} />
        </Fact>
      </Facts>
      {!canMove && account.aff_quota > 0 && (
        <p className={styles.hint}>{t("invitations.from", { amount: formatQuota(quota_per_unit) })}</p>
      )}
      <InviteLink code={account.aff_code} />
      <Suspense fallback={null}>
        {isOpen && <TransferDialog account={account} onClose={() => setIsOpen(false)} />}
      </Suspense>
    </Card>
  );
}

/** Nothing for an ordinary account. */
function RoleTag({ role }: { role: number }) {
  const { t } = useTranslation("personal");
  if (isRoot(role)) return <Tag tone="accent">{t("account.root")}</Tag>;
  return isAdmin(role) ? <Tag tone="outline">{t("account.manager")}</Tag> : null;
}

/** The account: name, number, role and group. */
function AccountCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const name = visible(account.display_name || account.username);
  return (
    <section className={styles.card} aria-label={t("account.title")}>
      <span className={styles.face} aria-hidden>
        {[...name][0]?.toUpperCase()}
      </span>
      <div className={styles.words}>
        <h2 className={styles.name}>
          {name}
          <RoleTag role={account.role} />
        </h2>
        <p className={styles.facts}>
          <span>{visible(account.username)}</span>
          <span>{t("account.group", { group: visible(account.group) })}</span>
          <Copy text={String(account.id)} label={t("account.copyId")}>
            {t("account.id", { id: account.id })}
          </Copy>
        </p>
      </div>
      <Link to="/user/edit" {...buttonLook()}>
        {t("account.edit")}
      </Link>
    </section>
  );
}

const EditDrawer = lazy(async () => ({ default: (await import("./edit-drawer.tsx")).EditDrawer }));

/** Two columns on a desk, one on a phone: left what one has, right what one may change. */
function Cards({ account }: { account: Account }) {
  return (
    <CardColumns>
      <CardColumn>
        <AccountCard account={account} />
        <BalanceCard account={account} />
        <InvitationsCard account={account} />
        <ModelsCard />
      </CardColumn>
      <CardColumn>
        <SecuritySummary />
        <SettingsCard account={account} />
      </CardColumn>
    </CardColumns>
  );
}

const Ghosts = () => (
  <CardColumns isBusy>
    <CardColumn>
      <CardGhost heightPx={80} />
      <CardGhost heightPx={130} />
      <CardGhost heightPx={170} />
    </CardColumn>
    <CardColumn>
      <CardGhost heightPx={140} />
      <CardGhost heightPx={240} />
    </CardColumn>
  </CardColumns>
);

export function PersonalPage() {
  const { t } = useTranslation("personal");
  const query = useQuery(selfQuery);
  const navigate = useNavigate();
  const isEditing = useLocation({ select: ({ pathname }) => pathname.startsWith("/user/edit") });
  return (
    <Page title={t("title")} purpose={t("purpose")}>
      {query.data !== undefined && <Cards account={query.data} />}
      <Suspense fallback={null}>
        {query.data !== undefined && isEditing && (
          <EditDrawer account={query.data} onClose={() => void navigate({ to: "/personal" })} />
        )}
      </Suspense>
      {query.isPending && <Ghosts />}
      {query.isError && query.data === undefined && (
        <ErrorState title={t("notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
    </Page>
  );
}
