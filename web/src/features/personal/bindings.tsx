/** The ways in besides the password, and which of them the account has. */
import { Button } from "@mantine/core";
import { IconMail } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Faint } from "../../ui/display/tags.tsx";
import { Card, Row, Rows } from "../../ui/display/card.tsx";
import { IdentityRows } from "./identity-rows.tsx";
import type { Account } from "./queries.ts";

const EmailDialog = lazy(async () => ({ default: (await import("./dialogs/email-dialog.tsx")).EmailDialog }));

export function BindingsCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const [isEmailOpen, setIsEmailOpen] = useState(false);
  return (
    <Card title={t("bindings.title")} text={t("bindings.text")}>
      <Rows>
        <Row
          icon={<IconMail size={18} stroke={1.5} />}
          name={t("bindings.email")}
          value={account.email === "" ? <Faint>{t("bindings.none")}</Faint> : account.email}
          action={
            <Button onClick={() => setIsEmailOpen(true)}>
              {t(account.email === "" ? "bindings.bind" : "bindings.change")}
            </Button>
          }
        />
        <IdentityRows />
      </Rows>
      <Suspense fallback={null}>
        {isEmailOpen && <EmailDialog account={account} onClose={() => setIsEmailOpen(false)} />}
      </Suspense>
    </Card>
  );
}
