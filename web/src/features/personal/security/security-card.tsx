/** The card of authenticator app, recovery codes and passkeys. */
import { IconDeviceMobile, IconLifebuoy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Card, CardGhost, Rows, Row } from "../../../ui/display/card.tsx";
import { PasskeyRows } from "./passkeys.tsx";
import { factorsQuery, type Factors, useRefreshSecurity } from "./queries.ts";
import {
  beginTotp,
  disableTotp,
  RECOVERY_CODE_COUNT,
  renewRecoveryCodes,
} from "../../../../../contract/src/features/factors.ts";
import type { DataOf } from "../../../../../contract/src/endpoint.ts";
import { call, callFull } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { useAct } from "./act.ts";

const TotpDialog = lazy(async () => ({ default: (await import("./totp-dialog.tsx")).TotpDialog }));
const RecoveryCodesDialog = lazy(async () => ({ default: (await import("./recovery-codes.tsx")).RecoveryCodesDialog }));

function TurnOff() {
  const { t } = useTranslation("personal");
  const { isBusy, run } = useAct();
  const turnOff = async () => {
    const isSure = await confirm({
      title: t("security.totp.offTitle"),
      text: t("security.totp.offText"),
      action: t("security.totp.turnOff"),
    });
    if (isSure) await run(t("security.totp.notOff"), () => callFull(disableTotp, {}));
  };
  return (
    <BusyButton isBusy={isBusy} onClick={() => void turnOff()}>
      {t("security.totp.turnOff")}
    </BusyButton>
  );
}

function SetUp({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const { t } = useTranslation("personal");
  const { isBusy, run } = useAct();
  const refresh = useRefreshSecurity();
  const [begun, setBegun] = useState<DataOf<typeof beginTotp>>();
  const begin = async () => setBegun(await run(t("security.totp.notBegun"), () => call(beginTotp, {})));
  const finish = (codes: readonly string[]) => {
    setBegun(undefined);
    onCodes(codes);
    void refresh();
  };
  return (
    <>
      <BusyButton isBusy={isBusy} onClick={() => void begin()}>
        {t("security.totp.begin")}
      </BusyButton>
      <Suspense fallback={null}>
        {begun !== undefined && <TotpDialog begun={begun} onConfirmed={finish} onClose={() => setBegun(undefined)} />}
      </Suspense>
    </>
  );
}

function RecoveryRow({ left, onCodes }: { left: number; onCodes: (codes: readonly string[]) => void }) {
  const { t } = useTranslation("personal");
  const { isBusy, run } = useAct();
  const renew = async () => {
    const isSure = await confirm({
      title: t("security.codes.renewTitle"),
      text: t("security.codes.renewText"),
      action: t("security.codes.renew"),
      tone: "plain",
    });
    if (!isSure) return;
    const made = await run(t("security.codes.notRenewed"), () => call(renewRecoveryCodes, {}));
    if (made !== undefined) onCodes(made.recovery_codes);
  };
  return (
    <Row
      icon={<IconLifebuoy size={18} stroke={1.5} />}
      name={t("security.codes.title")}
      value={t("security.codes.left", { left, total: RECOVERY_CODE_COUNT })}
      action={
        <BusyButton isBusy={isBusy} onClick={() => void renew()}>
          {t("security.codes.renew")}
        </BusyButton>
      }
    />
  );
}

/** The authenticator app of the account: set up, turned off, and its recovery codes. */
function TotpRows({ factors }: { factors: Factors }) {
  const { t } = useTranslation("personal");
  const [codes, setCodes] = useState<readonly string[]>();
  const isOn = factors.totp_time > 0;
  return (
    <>
      <Row
        icon={<IconDeviceMobile size={18} stroke={1.5} />}
        name={
          <>
            {t("security.totp.title")} {isOn && <Tag tone="green">{t("security.totp.on")}</Tag>}
          </>
        }
        value={isOn ? t("security.totp.textOn") : t("security.totp.text")}
        action={isOn ? <TurnOff /> : <SetUp onCodes={setCodes} />}
      />
      {isOn && <RecoveryRow left={factors.recovery_codes} onCodes={setCodes} />}
      <Suspense fallback={null}>
        {codes !== undefined && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
      </Suspense>
    </>
  );
}

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
