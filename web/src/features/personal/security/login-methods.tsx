/** The ways to log in: the password, the e-mail address, and accounts of other sites; each with its state in the account. */
import { Button } from "@mantine/core";
import { IconMail, IconPassword } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { Card, Row, Rows } from "../../../ui/display/card.tsx";
import { Faint } from "../../../ui/display/tags.tsx";
import { IdentityRows } from "../identity-rows.tsx";
import type { Account } from "../queries.ts";

const EmailDialog = lazy(async () => ({ default: (await import("../dialogs/email-dialog.tsx")).EmailDialog }));
const PasswordChangeDialog = lazy(async () => ({
  default: (await import("../dialogs/password-change.tsx")).PasswordChangeDialog,
}));

const DIALOGS = { password: PasswordChangeDialog, email: EmailDialog };

export function LoginMethodsCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const [opened, setOpened] = useState<keyof typeof DIALOGS>();
  const Opened = opened === undefined ? undefined : DIALOGS[opened];
  const { has_password: hasPassword, email } = account;
  return (
    <Card title={t("bindings.title")} text={t("bindings.text")}>
      <Rows>
        <Row
          icon={<IconPassword size={18} stroke={1.5} />}
          name={t("access.password")}
          value={hasPassword ? t("access.hasPassword") : <Faint>{t("access.noPassword")}</Faint>}
          action={
            <Button onClick={() => setOpened("password")}>{t(hasPassword ? "access.change" : "access.set")}</Button>
          }
        />
        <Row
          icon={<IconMail size={18} stroke={1.5} />}
          name={t("bindings.email")}
          value={email === "" ? <Faint>{t("bindings.none")}</Faint> : email}
          action={
            <Button onClick={() => setOpened("email")}>{t(email === "" ? "bindings.bind" : "bindings.change")}</Button>
          }
        />
        <IdentityRows />
      </Rows>
      <Suspense fallback={null}>{Opened && <Opened account={account} onClose={() => setOpened(undefined)} />}</Suspense>
    </Card>
  );
}
