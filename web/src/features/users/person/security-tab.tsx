/** A user's ways to sign in, their live sessions, and the security log of their account. */
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { removeFactorsOf } from "../../../../../contract/src/features/factors.ts";
import type { Person, PersonSession } from "../../../../../contract/src/people.ts";
import type { SecurityEventRow } from "../../../../../contract/src/features/personal.ts";
import { isRefusal } from "../../../../../contract/src/security-events.ts";
import { call } from "../../../lib/api.ts";
import { apart, visible } from "../../../lib/names.ts";
import { securityDetail, securityTitle } from "../../../ui/audit/security-words.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Card, Fact, Facts, Row, Rows } from "../../../ui/display/card.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { nameOfWay } from "../../../ui/identities/ways.ts";
import { USERS_KEY } from "../queries.ts";
import { Loaded, Nothing, Older } from "./parts.tsx";
import { securityQuery, sessionsQuery } from "./queries.ts";

/** Takes authenticator app, recovery codes and passkeys away, for a person who lost them. */
function RemoveFactors({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const name = apart(person.username);
  const remove = async () => {
    const question = { title: t("factors.title", { name }), text: t("factors.text"), action: t("factors.remove") };
    if (!(await confirm(question))) return;
    setIsBusy(true);
    try {
      const removed = await withStepUp(() => call(removeFactorsOf, { params: { id: person.id } }));
      if (removed === undefined) return;
      toast.success(t("factors.removed", { name }));
      await client.invalidateQueries({ queryKey: USERS_KEY });
    } catch (error) {
      toast.error(error, t("factors.notRemoved"));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <BusyButton isBusy={isBusy} data-tone="danger" onClick={() => void remove()}>
      {t("factors.begin")}
    </BusyButton>
  );
}

function Factors({ person, isOwn }: { person: Person; isOwn: boolean }) {
  const { t } = useTranslation("users");
  const hasSome = person.has_totp || person.passkeys > 0;
  return (
    <Card
      title={t("factors.section")}
      text={hasSome ? undefined : t("person.security.noFactor")}
      action={hasSome && !isOwn && person.DeletedAt === null && <RemoveFactors person={person} />}
    >
      <Facts>
        <Fact name={t("person.security.app")}>{t(person.has_totp ? "factor.on" : "factor.off")}</Fact>
        <Fact name={t("person.security.passkeys")}>{person.passkeys}</Fact>
        <Fact name={t("person.security.codes")}>{person.recovery_codes}</Fact>
      </Facts>
    </Card>
  );
}

function SessionRow({ session }: { session: PersonSession }) {
  const { t } = useTranslation("users");
  return (
    <Row
      name={visible(session.user_agent) || t("person.security.unknownDevice")}
      value={
        <>
          {session.ip} · {nameOfWay(t, { provider: session.way, name: "" })} · {t("person.security.since")}{" "}
          <Time atS={session.created_time} />
        </>
      }
      action={
        <span>
          {t("person.security.seen")} <Time atS={session.seen_time} />
        </span>
      }
    />
  );
}

function EventRow({ event }: { event: SecurityEventRow }) {
  const { t } = useTranslation(["users", "personal"]);
  return (
    <Row
      name={
        <>
          {securityTitle(t, event)} {isRefusal(event.kind) && <Tag tone="amber">{t("person.security.refused")}</Tag>}
        </>
      }
      value={securityDetail(t, event) || "–"}
      action={<Time atS={event.last_time} />}
    />
  );
}

function SecurityLog({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const query = useInfiniteQuery(securityQuery(person.id));
  return (
    <Card title={t("person.security.log")}>
      <Loaded query={query}>
        {({ pages }) => (
          <>
            {pages[0]?.length === 0 && <Nothing>{t("person.security.noEvents")}</Nothing>}
            <Rows>
              {pages.flat().map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </Rows>
            <Older query={query} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

export function SecurityTab({ person, isOwn }: { person: Person; isOwn: boolean }) {
  const { t } = useTranslation("users");
  const sessions = useQuery(sessionsQuery(person.id));
  return (
    <>
      <Factors person={person} isOwn={isOwn} />
      <Card title={t("person.security.sessions")}>
        <Loaded query={sessions}>
          {(rows) =>
            rows.length === 0 ? (
              <Nothing>{t("person.security.noSessions")}</Nothing>
            ) : (
              <Rows>
                {rows.map((session, index) => (
                  <SessionRow key={`${session.created_time} ${index}`} session={session} />
                ))}
              </Rows>
            )
          }
        </Loaded>
      </Card>
      <SecurityLog person={person} />
    </>
  );
}
