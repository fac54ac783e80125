/** The ways in besides the password, and which of them the account has. */
import { IconMail } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Faint } from "../../ui/display/tags.tsx";
import { Card, Row, Rows } from "./card.tsx";
import type { Account } from "./queries.ts";

export function BindingsCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  return (
    <Card title={t("bindings.title")} text={t("bindings.text")}>
      <Rows>
        <Row
          icon={<IconMail size={18} stroke={1.5} />}
          name={t("bindings.email")}
          value={account.email === "" ? <Faint>{t("bindings.none")}</Faint> : account.email}
        />
      </Rows>
    </Card>
  );
}
