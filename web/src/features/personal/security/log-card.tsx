/** The security log: what happened to the own account and, for the super administrator, to all of them. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  allSecurityEvents,
  ownSecurityEvents,
  SECURITY_EVENTS_PAGE,
  type SecurityEventRow,
} from "../../../../../contract/src/features/personal.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { isRefusal } from "../../../../../contract/src/security-events.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Card, CardGhost, Row, Rows } from "../../../ui/display/card.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";

const useLog = (isAll: boolean) =>
  useInfiniteQuery({
    queryKey: ["personal", "security_log", isAll],
    queryFn: ({ signal, pageParam }) =>
      call(isAll ? allSecurityEvents : ownSecurityEvents, {
        signal,
        query: pageParam === 0 ? {} : { before: pageParam },
      }),
    initialPageParam: 0,
    getNextPageParam: (last: SecurityEventRow[]) => (last.length < SECURITY_EVENTS_PAGE ? undefined : last.at(-1)?.id),
  });

function EventRow({ event, isAll }: { event: SecurityEventRow; isAll: boolean }) {
  const { t } = useTranslation("personal");
  const { kind, way, reason, network, count, username, actor_id: actor } = event;
  const whose = isAll ? username || t("security.log.stranger") : "";
  const byOther = actor === 0 ? "" : t("security.log.byOther", { id: actor });
  const times = count === 1 ? "" : t("security.log.times", { count });
  const facts = [whose, byOther, way, reason, network, times].filter((fact) => fact !== "");
  return (
    <Row
      name={isRefusal(kind) ? <Tag tone="amber">{t(`security.log.kind.${kind}`)}</Tag> : t(`security.log.kind.${kind}`)}
      value={
        <>
          <Time atS={event.last_time} /> · {facts.join(" · ")}
        </>
      }
    />
  );
}

export function LogCard({ role }: { role: number }) {
  const { t } = useTranslation("personal");
  const [isAll, setAll] = useState(false);
  const log = useLog(isAll);
  if (log.isPending) return <CardGhost heightPx={150} />;
  if (log.data === undefined)
    return (
      <Card title={t("security.log.title")}>
        <ErrorState title={t("security.log.notLoaded")} error={log.error} onRetry={() => void log.refetch()} />
      </Card>
    );
  const events = log.data.pages.flat();
  return (
    <Card
      title={t("security.log.title")}
      text={t("security.log.text")}
      action={
        isRoot(role) && (
          <BusyButton isBusy={false} onClick={() => setAll(!isAll)}>
            {t(isAll ? "security.log.own" : "security.log.all")}
          </BusyButton>
        )
      }
    >
      {events.length === 0 && <p>{t("security.log.empty")}</p>}
      <Rows>
        {events.map((event) => (
          <EventRow key={event.id} event={event} isAll={isAll} />
        ))}
      </Rows>
      {log.hasNextPage && (
        <BusyButton isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {t("security.log.more")}
        </BusyButton>
      )}
    </Card>
  );
}
