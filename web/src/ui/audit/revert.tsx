/** The button that takes one change back, after a question that names its fields. */
import { useTranslation } from "../../lib/i18n.ts";
import type { AuditEntry } from "../../../../contract/src/features/audit.ts";
import { BusyButton } from "../busy-button.tsx";
import { confirm } from "../feedback/confirm.ts";
import { toast } from "../feedback/toast-store.ts";
import { useRevert } from "./queries.ts";

/** Nothing where the change cannot be taken back, or not by this viewer. */
export function RevertButton({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation("audit");
  const revert = useRevert();
  const fields = entry.changes.map(({ field }) => field).join(t("separator"));
  if (!entry.can_revert) return null;
  const run = async () => {
    const question = { title: t("revertTitle"), text: t("revertText", { fields }), action: t("revert") };
    if (!(await confirm({ ...question, tone: "plain" }))) return;
    try {
      if ((await revert.mutateAsync(entry.id)) !== undefined) toast.success(t("reverted"));
    } catch (error) {
      toast.error(error, t("notReverted"));
    }
  };
  return (
    <BusyButton isBusy={revert.isPending} aria-label={t("revertOf", { what: fields })} onClick={() => void run()}>
      {t("revert")}
    </BusyButton>
  );
}
