/** The cards of the account's sessions, each of which can be ended, and of its security log. */
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useQuery, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { endOtherSessions, endOwnSession, type OwnSession } from "../../../../../contract/src/features/factors.ts";
import { call, callFull } from "../../../lib/api.ts";
import { visible } from "../../../lib/names.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Card, CardGhost, Row, Rows } from "../../../ui/display/card.tsx";
import { securityDetail, securityTitle } from "../../../ui/audit/security-words.ts";
import { nameOfWay } from "../../../ui/identities/ways.ts";
import { useAct } from "./act.ts";
import { deviceOf } from "./device.ts";
import { sessionsQuery } from "./queries.ts";
import styles from "./security.module.css";
import {
  allSecurityEvents,
  ownSecurityEvents,
  SECURITY_EVENTS_PAGE,
  type SecurityEventRow,
} from "../../../../../contract/src/features/personal.ts";
import { isRoot } from "../../../../../contract/src/roles.ts";
import { isRefusal } from "../../../../../contract/src/security-events.ts";

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
  const whose = isAll ? visible(event.username) || t("security.log.stranger") : "";
  const title = securityTitle(t, event);
  const facts = [whose, securityDetail(t, event)].filter((fact) => fact !== "");
  return (
    <Row
      name={isRefusal(event.kind) ? <Tag tone="amber">{title}</Tag> : title}
      value={
        <>
          <Time atS={event.last_time} />
          {facts.map((fact) => ` · ${fact}`)}
        </>
      }
    />
  );
}

/** The security log: what happened to the own account and, for the super administrator, to all of them. */
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

const PHONES: ReadonlySet<string> = new Set(["iPhone", "iPad", "Android", "HarmonyOS"]);

function useDeviceName(): (userAgent: string) => string {
  const { t } = useTranslation("personal");
  return (userAgent) => {
    const { browser, system } = deviceOf(userAgent);
    if (browser !== "" && system !== "") return t("security.sessions.device", { browser, system });
    return browser || system || t("security.sessions.unknown");
  };
}

function EndButton({ session, device }: { session: OwnSession; device: string }) {
  const { t } = useTranslation("personal");
  const { isBusy, run } = useAct();
  const end = () => run(t("security.sessions.notEnded"), () => callFull(endOwnSession, { params: { id: session.id } }));
  return (
    <BusyButton isBusy={isBusy} aria-label={t("security.sessions.endOf", { device })} onClick={() => void end()}>
      {t("security.sessions.end")}
    </BusyButton>
  );
}

function SessionRow({ session }: { session: OwnSession }) {
  const { t } = useTranslation("personal");
  const device = useDeviceName()(session.user_agent);
  const Icon = PHONES.has(deviceOf(session.user_agent).system) ? IconDeviceMobile : IconDeviceDesktop;
  const way = nameOfWay(t, { provider: session.way, name: "" });
  return (
    <Row
      icon={<Icon size={18} stroke={1.5} />}
      name={
        <>
          {device} {session.is_current && <Tag tone="accent">{t("security.sessions.current")}</Tag>}
        </>
      }
      value={
        <>
          {session.ip} · {t("security.sessions.by", { way })} <Time atS={session.created_time} />
          {!session.is_current && (
            <>
              {" · "}
              <span className={styles.together}>
                {t("security.sessions.seen")} <Time atS={session.seen_time} />
              </span>
            </>
          )}
        </>
      }
      action={!session.is_current && <EndButton session={session} device={device} />}
    />
  );
}

function EndOthers() {
  const { t } = useTranslation("personal");
  const { isBusy, run } = useAct();
  const end = async () => {
    const isSure = await confirm({
      title: t("security.sessions.othersTitle"),
      text: t("security.sessions.othersText"),
      action: t("security.sessions.others"),
    });
    if (isSure) await run(t("security.sessions.notEnded"), () => call(endOtherSessions, {}));
  };
  return (
    <BusyButton isBusy={isBusy} onClick={() => void end()}>
      {t("security.sessions.others")}
    </BusyButton>
  );
}

export function SessionsCard() {
  const { t } = useTranslation("personal");
  const query = useQuery(sessionsQuery);
  if (query.isPending) return <CardGhost heightPx={150} />;
  if (query.data === undefined)
    return (
      <Card title={t("security.sessions.title")}>
        <ErrorState title={t("security.sessions.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      </Card>
    );
  return (
    <Card
      title={t("security.sessions.title")}
      text={t("security.sessions.text")}
      action={query.data.length > 1 && <EndOthers />}
    >
      <Rows>
        {query.data.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </Rows>
    </Card>
  );
}
