/** Password and the end of the account. */
import { Button } from "@mantine/core";
import { IconPassword, IconUserOff } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { isRoot } from "../../../../contract/src/roles.ts";
import { Card, Row, Rows } from "../../ui/display/card.tsx";
import type { Account } from "./queries.ts";

const PasswordChangeDialog = lazy(async () => ({
  default: (await import("./dialogs/password-change.tsx")).PasswordChangeDialog,
}));
const DeletionDialog = lazy(async () => ({ default: (await import("./dialogs/deletion-dialog.tsx")).DeletionDialog }));

type Opened = "password" | "deletion";

const DIALOGS = { password: PasswordChangeDialog, deletion: DeletionDialog };

export function AccessCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const [opened, setOpened] = useState<Opened>();
  const Opened = opened === undefined ? undefined : DIALOGS[opened];
  return (
    <Card title={t("access.title")}>
      <Rows>
        <Row
          icon={<IconPassword size={18} stroke={1.5} />}
          name={t("access.password")}
          value={t(account.has_password ? "access.hasPassword" : "access.noPassword")}
          action={
            <Button onClick={() => setOpened("password")}>
              {t(account.has_password ? "access.change" : "access.set")}
            </Button>
          }
        />
        {!isRoot(account.role) && (
          <Row
            icon={<IconUserOff size={18} stroke={1.5} />}
            name={t("access.deletion")}
            value={t("access.deletionText")}
            action={<Button onClick={() => setOpened("deletion")}>{t("access.delete")}</Button>}
          />
        )}
      </Rows>
      <Suspense fallback={null}>{Opened && <Opened account={account} onClose={() => setOpened(undefined)} />}</Suspense>
    </Card>
  );
}
