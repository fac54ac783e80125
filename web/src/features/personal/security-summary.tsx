/** The security of the account in three lines on the personal page, with a link to the security page. */
import { IconDeviceDesktop, IconPassword, IconShieldLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import { Card, CardGhost, Row, Rows } from "../../ui/display/card.tsx";
import { Tag } from "../../ui/display/tags.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import { type Factors, factorsQuery, sessionsQuery } from "./security/queries.ts";

const icon = { size: 18, stroke: 1.5 } as const;

function FactorRow({ factors }: { factors: Factors }) {
  const { t } = useTranslation("personal");
  const hasApp = factors.totp_time > 0;
  const isOn = hasApp || factors.passkeys.length > 0;
  const facts = [
    hasApp ? t("summary.app", { left: factors.recovery_codes }) : "",
    factors.passkeys.length > 0 ? t("summary.passkeys", { count: factors.passkeys.length }) : "",
  ].filter((fact) => fact !== "");
  return (
    <Row
      icon={<IconShieldLock {...icon} />}
      name={
        <>
          {t("summary.factor")} <Tag tone={isOn ? "green" : "amber"}>{t(isOn ? "summary.on" : "summary.off")}</Tag>
        </>
      }
      value={facts.length === 0 ? t("summary.offText") : facts.join(" · ")}
    />
  );
}

export function SecuritySummary() {
  const { t } = useTranslation("personal");
  const factors = useQuery(factorsQuery);
  const sessions = useQuery(sessionsQuery);
  if (factors.isPending) return <CardGhost heightPx={190} />;
  return (
    <Card
      title={t("summary.title")}
      text={t("summary.text")}
      action={
        <Link to="/personal/security" {...buttonLook()}>
          {t("summary.open")}
        </Link>
      }
    >
      {factors.data === undefined ? (
        <ErrorState title={t("security.notLoaded")} error={factors.error} onRetry={() => void factors.refetch()} />
      ) : (
        <Rows>
          <Row
            icon={<IconPassword {...icon} />}
            name={t("access.password")}
            value={t(factors.data.has_password ? "access.hasPassword" : "access.noPassword")}
          />
          <FactorRow factors={factors.data} />
          {sessions.data !== undefined && (
            <Row
              icon={<IconDeviceDesktop {...icon} />}
              name={t("security.sessions.title")}
              value={t("summary.sessions", { count: sessions.data.length })}
            />
          )}
        </Rows>
      )}
    </Card>
  );
}
