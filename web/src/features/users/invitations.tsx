/** Below the form of inviting: sent invitations with their state, and taking an open one back. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../lib/i18n.ts";
import type { Invitation } from "../../../../contract/src/people.ts";
import { formatDateTime } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Tag, type TagTone } from "../../ui/display/tags.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { FormSection } from "../../ui/form/form-drawer.tsx";
import { invitationsQuery, useRevokeInvitation } from "./queries.ts";
import styles from "./users.module.css";

const TONES: Readonly<Record<Invitation["state"], TagTone>> = {
  open: "blue",
  accepted: "green",
  revoked: "neutral",
  expired: "amber",
};

function Line({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation("users");
  const revoke = useRevokeInvitation();
  const { id, email, state, group, quota, expires_time, created_by, username } = invitation;
  const ask = async () => {
    const question = {
      title: t("invite.revokeTitle", { email: visible(email) }),
      text: t("invite.revokeText"),
      action: t("invite.revoke"),
    };
    if (await confirm(question)) revoke.mutate(id);
  };
  return (
    <li className={styles.invitation}>
      <Tag tone={TONES[state]}>{t(`invite.state.${state}`)}</Tag>
      <span className={styles.invited}>
        {visible(email)}
        <span className={styles.about}>
          {" "}
          {visible(group)}
          {quota > 0 && (
            <>
              {" · "}
              <Quota quota={quota} />
            </>
          )}
          {state === "open" && ` · ${t("invite.until", { time: formatDateTime(expires_time) })}`}
          {username !== "" && ` · ${t("invite.by", { name: visible(username) })}`}
          {created_by !== "" && ` · ${t("invite.from", { name: visible(created_by) })}`}
        </span>
      </span>
      {state === "open" && (
        <BusyButton size="xs" isBusy={revoke.isPending} onClick={() => void ask()}>
          {t("invite.revoke")}
        </BusyButton>
      )}
      {revoke.error !== null && <Notice tone="red">{revoke.error.message}</Notice>}
    </li>
  );
}

export function Invitations() {
  const { t } = useTranslation("users");
  const { data, error, refetch } = useQuery(invitationsQuery);
  return (
    <FormSection title={t("invite.list")}>
      {data === undefined && error === null && <div className={styles.invitationsLoading} aria-busy />}
      {data === undefined && error !== null && (
        <ErrorState title={t("invite.notLoaded")} error={error} onRetry={() => void refetch()} />
      )}
      {data?.length === 0 && <p className={styles.about}>{t("invite.none")}</p>}
      <ul className={styles.invitations} aria-label={t("invite.list")}>
        {data?.map((invitation) => (
          <Line key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </FormSection>
  );
}
