/** What an invitation earns both sides, above the registration form; it says the same for every code, so that none can be tried. */
import { useTranslation } from "../../lib/i18n.ts";
import { formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { Notice } from "../../ui/feedback/notice.tsx";

/** For sites that have set a reward for one side at least. */
export function InvitationNote() {
  const { t } = useTranslation("sessions");
  const { invitee_reward, inviter_reward } = useStatus();
  const values = { invitee: formatQuota(invitee_reward), inviter: formatQuota(inviter_reward) };
  const side = inviter_reward === 0 ? "invitee" : invitee_reward === 0 ? "inviter" : "both";
  return <Notice tone="blue">{t(`invitation.${side}`, values)}</Notice>;
}
