/** The security page in cards: ways to log in, second factors, sessions, security log; deleting the account stands apart. */
import { Button } from "@mantine/core";
import { IconUserOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { Card, CardColumn, CardColumns, CardGhost, Row, Rows } from "../../../ui/display/card.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Page } from "../../../ui/page.tsx";
import { type Account, selfQuery } from "../queries.ts";
import { AccessTokensCard } from "./access-tokens-card.tsx";
import { LoginMethodsCard } from "./login-methods.tsx";
import { SecurityCard } from "./security-card.tsx";
import { LogCard, SessionsCard } from "./sessions-card.tsx";
import styles from "./security.module.css";

const DeletionDialog = lazy(async () => ({ default: (await import("../dialogs/deletion-dialog.tsx")).DeletionDialog }));

/** The act that cannot be undone, below everything else; the super administrator cannot be deleted. */
function DangerCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className={styles.danger}>
      <Card title={t("danger.title")}>
        <Rows>
          <Row
            icon={<IconUserOff size={18} stroke={1.5} />}
            name={t("danger.deletion")}
            value={t("danger.deletionText")}
            action={
              <Button variant="filled" data-tone="danger" onClick={() => setIsOpen(true)}>
                {t("danger.delete")}
              </Button>
            }
          />
        </Rows>
        <Suspense fallback={null}>
          {isOpen && <DeletionDialog account={account} onClose={() => setIsOpen(false)} />}
        </Suspense>
      </Card>
    </div>
  );
}

/** Two columns on a desk, one on a phone: left the ways in, right what goes on. */
const Cards = ({ account }: { account: Account }) => (
  <CardColumns>
    <CardColumn>
      <LoginMethodsCard account={account} />
      <SecurityCard />
      <AccessTokensCard />
    </CardColumn>
    <CardColumn>
      <SessionsCard />
      <LogCard role={account.role} />
      {!isRoot(account.role) && <DangerCard account={account} />}
    </CardColumn>
  </CardColumns>
);

const Ghosts = () => (
  <CardColumns isBusy>
    <CardColumn>
      <CardGhost heightPx={240} />
      <CardGhost heightPx={190} />
    </CardColumn>
    <CardColumn>
      <CardGhost heightPx={150} />
      <CardGhost heightPx={240} />
    </CardColumn>
  </CardColumns>
);

export function SecurityPage() {
  const { t } = useTranslation("personal");
  const query = useQuery(selfQuery);
  return (
    <Page
      title={t("securityPage.title")}
      purpose={t("securityPage.purpose")}
      actions={
        <Button component={Link} to="/personal">
          {t("securityPage.toPersonal")}
        </Button>
      }
    >
      {query.data !== undefined && <Cards account={query.data} />}
      {query.isPending && <Ghosts />}
      {query.isError && query.data === undefined && (
        <ErrorState title={t("notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
    </Page>
  );
}
