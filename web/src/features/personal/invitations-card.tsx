/** Invitations: the link to hand on, how many came by it, and what that earned; rewards can be moved to the balance. */
import { Button } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber, formatQuota } from "../../lib/format.ts";
import { serverAddress, useStatus } from "../../lib/status.ts";
import { useCopy } from "../../ui/display/copy.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Card, Fact, Facts } from "../../ui/display/card.tsx";
import { unlessOff } from "../../ui/plain.tsx";
import styles from "./invitations-card.module.css";
import type { Account } from "./queries.ts";

const TransferDialog = lazy(async () => ({ default: (await import("./dialogs/transfer-dialog.tsx")).TransferDialog }));

function InviteLink({ code }: { code: string }) {
  const { t } = useTranslation("personal");
  const link = `${serverAddress()}/register?aff=${encodeURIComponent(code)}`;
  const { isCopied, copy } = useCopy(link);
  return (
    <div className={styles.link}>
      <input
        className={`mono ${styles.address}`}
        readOnly
        value={link}
        aria-label={t("invitations.link")}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button leftSection={<IconCopy size={15} stroke={1.5} />} onClick={copy}>
        {isCopied ? t("invitations.copied") : t("invitations.copy")}
      </Button>
    </div>
  );
}

export function InvitationsCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const { quota_per_unit } = useStatus();
  const [isOpen, setIsOpen] = useState(false);
  const canMove = account.aff_quota >= quota_per_unit;
  return (
    <Card
      title={t("invitations.title")}
      text={t("invitations.text")}
      action={<Button {...unlessOff(!canMove, () => setIsOpen(true))}>{t("invitations.transfer")}</Button>}
    >
      <Facts>
        <Fact name={t("invitations.count")}>{formatNumber(account.aff_count)}</Fact>
        <Fact name={t("invitations.left")}>
          <Quota quota={account.aff_quota} />
        </Fact>
        <Fact name={t("invitations.earned")}>
          <Quota quota={account.aff_history_quota} />
        </Fact>
      </Facts>
      {!canMove && account.aff_quota > 0 && (
        <p className={styles.hint}>{t("invitations.from", { amount: formatQuota(quota_per_unit) })}</p>
      )}
      <InviteLink code={account.aff_code} />
      <Suspense fallback={null}>
        {isOpen && <TransferDialog account={account} onClose={() => setIsOpen(false)} />}
      </Suspense>
    </Card>
  );
}
