/** The passkeys of the account: added, renamed, removed. */
import { Button } from "@mantine/core";
import { IconKey, IconPencil, IconTrash } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import {
  addPasskey,
  beginPasskey,
  type Passkey,
  removePasskey,
  renamePasskey,
} from "../../../../../contract/src/features/factors.ts";
import { call, callFull } from "../../../lib/api.ts";
import { RowMenu } from "../../../ui/data-table/row-actions.tsx";
import { Name } from "../../../ui/display/name.tsx";
import { Faint } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { passkeyObstacle } from "../../../ui/passkey-support.ts";
import { createPasskey, PasskeyError } from "../../../ui/passkeys.ts";
import { Row } from "../../../ui/display/card.tsx";
import { useAct } from "./act.ts";
import { deviceOf } from "./device.ts";
import { useRefreshSecurity } from "./queries.ts";

const PasskeyNameDialog = lazy(async () => ({
  default: (await import("./passkey-name-dialog.tsx")).PasskeyNameDialog,
}));

const ICON = <IconKey size={18} stroke={1.5} />;

/** Makes a key in the browser and keeps it. @returns false where the person gave up. Throws what the browser or the server refuses. */
async function makePasskey(name: string, refusals: Readonly<Record<"known" | "place", string>>): Promise<boolean> {
  try {
    const asked = await withStepUp(() => call(beginPasskey, {}));
    if (asked === undefined) return false;
    const credential = await createPasskey(asked.options);
    await call(addPasskey, { body: { ticket: asked.ticket, name, credential } });
    return true;
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    if (error.reason === "given_up") return false;
    throw new Error(refusals[error.reason], { cause: error });
  }
}

/** @param onAdded runs once a new one is kept. */
export function AddPasskey({ onAdded = () => undefined }: { onAdded?: () => void }) {
  const { t } = useTranslation("personal");
  const refresh = useRefreshSecurity();
  const [isOpen, setIsOpen] = useState(false);
  const save = async (name: string) => {
    const refusals = { known: t("security.passkeys.known"), place: t("security.passkeys.place") };
    const isKept = await makePasskey(name, refusals);
    if (!isKept) return false;
    await refresh();
    onAdded();
    return true;
  };
  const { browser, system } = deviceOf(navigator.userAgent);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t("security.passkeys.add")}</Button>
      <Suspense fallback={null}>
        {isOpen && (
          <PasskeyNameDialog
            title={t("security.passkeys.addTitle")}
            text={t("security.passkeys.addText")}
            action={t("security.passkeys.go")}
            name={system || browser}
            save={save}
            onClose={() => setIsOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { t } = useTranslation("personal");
  const { run } = useAct();
  const refresh = useRefreshSecurity();
  const [isRenaming, setIsRenaming] = useState(false);
  const { id, name } = passkey;
  const remove = async () => {
    const isSure = await confirm({
      title: t("security.passkeys.removeTitle", { name }),
      text: t("security.passkeys.removeText"),
      action: t("security.passkeys.remove"),
    });
    if (isSure) await run(t("security.passkeys.notRemoved"), () => callFull(removePasskey, { params: { id } }));
  };
  const rename = async (newName: string) => {
    await callFull(renamePasskey, { params: { id }, body: { name: newName } });
    await refresh();
    return true;
  };
  const items = [
    { label: t("security.passkeys.rename"), icon: <IconPencil size={15} />, onPick: () => setIsRenaming(true) },
    {
      label: t("security.passkeys.remove"),
      icon: <IconTrash size={15} />,
      onPick: () => void remove(),
      tone: "danger" as const,
    },
  ];
  return (
    <>
      <Row
        icon={ICON}
        name={<Name text={name} />}
        value={
          passkey.used_time === 0 ? (
            t("security.passkeys.unused")
          ) : (
            <>
              {t("security.passkeys.used")} <Time atS={passkey.used_time} />
            </>
          )
        }
        action={<RowMenu about={name} items={items} />}
      />
      <Suspense fallback={null}>
        {isRenaming && (
          <PasskeyNameDialog
            title={t("security.passkeys.renameTitle")}
            action={t("security.passkeys.save")}
            name={name}
            save={rename}
            onClose={() => setIsRenaming(false)}
          />
        )}
      </Suspense>
    </>
  );
}

export function PasskeyRows({ passkeys }: { passkeys: readonly Passkey[] }) {
  const { t } = useTranslation("personal");
  const obstacle = passkeyObstacle();
  return (
    <>
      <Row
        icon={ICON}
        name={t("security.passkeys.title")}
        value={
          obstacle === undefined ? t("security.passkeys.text") : <Faint>{t(`security.passkeys.${obstacle}`)}</Faint>
        }
        action={obstacle === undefined && <AddPasskey />}
      />
      {passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} passkey={passkey} />
      ))}
    </>
  );
}
