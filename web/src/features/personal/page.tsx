/** The personal page: one's own account, ways in, invitations, models and settings, in cards. */
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { AccessCard } from "./access-card.tsx";
import { AccountCard } from "./account-card.tsx";
import { BalanceCard } from "../../ui/display/balance-card.tsx";
import { BindingsCard } from "./bindings.tsx";
import { CardColumn, CardColumns, CardGhost } from "../../ui/display/card.tsx";
import { InvitationsCard } from "./invitations-card.tsx";
import { ModelsCard } from "./models-card.tsx";
import { type Account, selfQuery } from "./queries.ts";
import { AccessTokensCard } from "./security/access-tokens-card.tsx";
import { LogCard } from "./security/log-card.tsx";
import { SecurityCard } from "./security/security-card.tsx";
import { SessionsCard } from "./security/sessions-card.tsx";
import { SettingsCard } from "./settings/settings-card.tsx";

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
        <SessionsCard />
        <LogCard role={account.role} />
      </CardColumn>
      <CardColumn>
        <BindingsCard account={account} />
        <AccessCard account={account} />
        <SecurityCard />
        <AccessTokensCard />
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
