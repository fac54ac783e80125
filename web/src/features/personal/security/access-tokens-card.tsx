/** The access tokens of the account, with which programs call the console API: their scope and use, creating and deleting them. */
import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import {
  ACCESS_TOKEN_LIMIT,
  type AccessTokenRow,
  endAccessToken,
} from "../../../../../contract/src/features/personal.ts";
import { callFull } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Card, CardGhost, Row, Rows } from "../../../ui/display/card.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { unlessOff } from "../../../ui/plain.tsx";
import { useAct } from "./act.ts";
import { accessTokensQuery } from "./queries.ts";

const AccessTokenDialog = lazy(async () => ({
  default: (await import("../dialogs/access-token.tsx")).AccessTokenDialog,
}));

function EndButton({ token }: { token: AccessTokenRow }) {
  const { t } = useTranslation("personal");
  const { isBusy, run } = useAct();
  const { id, name } = token;
  const end = async () => {
    const isSure = await confirm({
      title: t("token.endTitle", { name }),
      text: t("token.endText"),
      action: t("token.endName", { name }),
    });
    if (isSure) await run(t("token.notEnded"), () => callFull(endAccessToken, { params: { id } }));
  };
  return (
    <BusyButton isBusy={isBusy} aria-label={t("token.endName", { name })} onClick={() => void end()}>
      {t("token.end")}
    </BusyButton>
  );
}

/** When it was made, used last, and ends; what is not known is left out. */
function Times({ token: { created_time, used_time, expires_time } }: { token: AccessTokenRow }) {
  const { t } = useTranslation("personal");
  return (
    <>
      {created_time > 0 && (
        <>
          {t("token.createdTime")} <Time atS={created_time} />
          {" · "}
        </>
      )}
      {used_time > 0 ? (
        <>
          {t("token.usedTime")} <Time atS={used_time} />
        </>
      ) : (
        t("token.unused")
      )}
      {expires_time > 0 && (
        <>
          {" · "}
          {t("token.expiresTime")} <Time atS={expires_time} as="full" />
        </>
      )}
    </>
  );
}

export function AccessTokensCard() {
  const { t } = useTranslation("personal");
  const query = useQuery(accessTokensQuery);
  const [isMaking, setIsMaking] = useState(false);
  if (query.isPending) return <CardGhost heightPx={110} />;
  if (query.data === undefined)
    return (
      <Card title={t("token.title")}>
        <ErrorState title={t("token.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      </Card>
    );
  const isFull = query.data.length >= ACCESS_TOKEN_LIMIT;
  return (
    <Card
      title={t("token.title")}
      text={t(isFull ? "token.full" : "token.purpose", { most: ACCESS_TOKEN_LIMIT })}
      action={<Button {...unlessOff(isFull, () => setIsMaking(true))}>{t("token.create")}</Button>}
    >
      {query.data.length > 0 && (
        <Rows>
          {query.data.map((token) => (
            <Row
              key={token.id}
              icon={<IconKey size={18} stroke={1.5} />}
              name={
                <>
                  {token.name} <Tag>{t(`token.scopes.${token.scope}`)}</Tag>
                </>
              }
              value={<Times token={token} />}
              action={<EndButton token={token} />}
            />
          ))}
        </Rows>
      )}
      <Suspense fallback={null}>{isMaking && <AccessTokenDialog onClose={() => setIsMaking(false)} />}</Suspense>
    </Card>
  );
}
