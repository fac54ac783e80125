/** The step that sets a second factor up: an authenticator app with its recovery codes, or a passkey. */
import { IconDeviceMobile, IconKey } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DataOf } from "../../../../../contract/src/endpoint.ts";
import { beginTotp } from "../../../../../contract/src/features/factors.ts";
import { call } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Row, Rows } from "../../../ui/display/card.tsx";
import { Faint } from "../../../ui/display/tags.tsx";
import { passkeyObstacle } from "../../../ui/passkey-support.ts";
import { useAct } from "../security/act.ts";
import { AddPasskey } from "../security/passkeys.tsx";
import styles from "./required.module.css";
import { StepCard } from "./step-card.tsx";

const TotpForm = lazy(async () => ({ default: (await import("../security/totp-form.tsx")).TotpForm }));
const RecoveryCodes = lazy(async () => ({ default: (await import("../security/recovery-codes.tsx")).RecoveryCodes }));

type Begun = DataOf<typeof beginTotp>;

function Choice({ onBegun, onDone }: { onBegun: (begun: Begun) => void; onDone: () => Promise<void> }) {
  const { t } = useTranslation("personal");
  const { isBusy, run } = useAct();
  const obstacle = passkeyObstacle();
  const begin = async () => {
    const begun = await run(t("security.totp.notBegun"), () => call(beginTotp, {}));
    if (begun !== undefined) onBegun(begun);
  };
  return (
    <Rows>
      <Row
        icon={<IconDeviceMobile size={18} stroke={1.5} />}
        name={t("security.totp.title")}
        value={t("security.totp.text")}
        action={
          <BusyButton variant="filled" isBusy={isBusy} onClick={() => void begin()}>
            {t("security.totp.begin")}
          </BusyButton>
        }
      />
      <Row
        icon={<IconKey size={18} stroke={1.5} />}
        name={t("security.passkeys.title")}
        value={
          obstacle === undefined ? t("security.passkeys.text") : <Faint>{t(`security.passkeys.${obstacle}`)}</Faint>
        }
        action={obstacle === undefined && <AddPasskey onAdded={() => void onDone()} />}
      />
    </Rows>
  );
}

export function FactorStep({ onDone }: { onDone: () => Promise<void> }) {
  const { t } = useTranslation("personal");
  const [begun, setBegun] = useState<Begun>();
  const [codes, setCodes] = useState<readonly string[]>();
  const ghost = <div className={styles.ghost} aria-busy />;
  if (codes !== undefined)
    return (
      <StepCard title={t("security.codes.title")}>
        <Suspense fallback={ghost}>
          <RecoveryCodes codes={codes} onClose={() => void onDone()} />
        </Suspense>
      </StepCard>
    );
  if (begun !== undefined)
    return (
      <StepCard title={t("security.totp.setUp")}>
        <Suspense fallback={ghost}>
          <TotpForm
            begun={begun}
            onConfirmed={setCodes}
            onClose={() => setBegun(undefined)}
            closeLabel={t("required.back")}
          />
        </Suspense>
      </StepCard>
    );
  return (
    <StepCard title={t("required.factor.title")} text={t("required.factor.text")}>
      <Choice onBegun={setBegun} onDone={onDone} />
    </StepCard>
  );
}
