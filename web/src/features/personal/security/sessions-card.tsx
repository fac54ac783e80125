/** The sessions of the account: on which devices it is logged in, and ending them. */
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { endOtherSessions, endOwnSession, type OwnSession } from "../../../../../contract/src/features/factors.ts";
import { titleOfWay } from "../../../../../contract/src/ways-in.ts";
import { call, callFull } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Card, CardGhost, Row, Rows } from "../../../ui/display/card.tsx";
import { useAct } from "./act.ts";
import { deviceOf } from "./device.ts";
import { sessionsQuery } from "./queries.ts";

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
  const way = t(`security.sessions.way.${session.way}`, { defaultValue: titleOfWay(session.way) });
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
              {t("security.sessions.seen")} <Time atS={session.seen_time} />
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
