/** What signing in asks for besides the password, or instead of it: authenticator app, recovery codes and passkeys. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Card, CardGhost, Rows } from "../../../ui/display/card.tsx";
import { PasskeyRows } from "./passkeys.tsx";
import { factorsQuery } from "./queries.ts";
import { TotpRows } from "./totp.tsx";

export function SecurityCard() {
  const { t } = useTranslation("personal");
  const query = useQuery(factorsQuery);
  if (query.isPending) return <CardGhost heightPx={190} />;
  return (
    <Card title={t("security.title")} text={t("security.text")}>
      {query.data === undefined ? (
        <ErrorState title={t("security.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Rows>
          <TotpRows factors={query.data} />
          <PasskeyRows passkeys={query.data.passkeys} />
        </Rows>
      )}
    </Card>
  );
}
