/** What can be done with redemption codes from the list: with one by its menu, with those that are over by one button. */
import { IconCopy, IconEdit, IconPlayerPause, IconPlayerPlay, IconTrash, IconTrashX } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { REDEMPTION_STATUS, type RedemptionRow } from "../../../../contract/src/features/redemptions.ts";
import { copyText } from "../../lib/clipboard.ts";
import { formatQuota } from "../../lib/format.ts";
import { apart } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import type { RowAction } from "../../ui/data-table/row-actions.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { shortCode } from "./model/code.ts";
import { countInvalid, useDeleteInvalid, useDeleteRedemption, useSetStatus } from "./queries.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

/** Asks once, naming the code and what becomes of it. */
const askToDelete = (code: RedemptionRow, t: TFunction<"redemptions">): Promise<boolean> =>
  confirm({
    title: t("delete.title", { name: apart(code.name), code: shortCode(code.key) }),
    text: t(code.status === REDEMPTION_STATUS.used ? "delete.textUsed" : "delete.text", {
      quota: formatQuota(code.quota),
    }),
    action: t("delete.action"),
    keep: t("delete.keep"),
  });

/** Runs an act and tells how it ended. */
async function told(act: () => Promise<unknown>, done: string, failed: string): Promise<void> {
  try {
    await act();
    toast.success(done);
  } catch (error) {
    toast.error(error, failed);
  }
}

/** The ⋯ menu of one code. Used ones stay as they are. */
export function useCodeMenu(edit: (id: number) => void): (code: RedemptionRow) => RowAction[] {
  const { t } = useTranslation("redemptions");
  const setStatus = useSetStatus();
  const remove = useDeleteRedemption();
  const copy = async (code: RedemptionRow) => {
    if (await copyText(code.key)) toast.success(t("codeCopied"), code.name);
  };
  const set = (code: RedemptionRow, status: number, word: "enable" | "disable") => {
    const name = apart(code.name);
    const act = () => setStatus.mutateAsync({ id: code.id, status });
    return told(act, t(`act.${word}.done`, { name }), t(`act.${word}.failed`, { name }));
  };
  const askAndRemove = async (code: RedemptionRow) => {
    if (!(await askToDelete(code, t))) return;
    const name = apart(code.name);
    await told(() => remove.mutateAsync(code.id), t("delete.done", { name }), t("delete.failed", { name }));
  };
  return (code) => {
    const { status } = code;
    const isUsed = status === REDEMPTION_STATUS.used;
    return [
      { label: t("copyCode"), icon: <IconCopy {...glyph} />, onPick: () => void copy(code) },
      {
        label: t("edit"),
        icon: <IconEdit {...glyph} />,
        isDisabled: status !== REDEMPTION_STATUS.unused,
        onPick: () => edit(code.id),
      },
      status === REDEMPTION_STATUS.unused
        ? {
            label: t("act.disable.word"),
            icon: <IconPlayerPause {...glyph} />,
            onPick: () => void set(code, REDEMPTION_STATUS.disabled, "disable"),
          }
        : {
            label: t("act.enable.word"),
            icon: <IconPlayerPlay {...glyph} />,
            isDisabled: isUsed,
            onPick: () => void set(code, REDEMPTION_STATUS.unused, "enable"),
          },
      {
        label: t("delete.word"),
        icon: <IconTrash {...glyph} />,
        tone: "danger",
        isDivided: true,
        onPick: () => void askAndRemove(code),
      },
    ];
  };
}

/** Deletes the codes that are used or disabled, after saying how many they are. */
export function DeleteInvalidButton() {
  const { t } = useTranslation("redemptions");
  const remove = useDeleteInvalid();
  const [isCounting, setIsCounting] = useState(false);
  const run = async () => {
    setIsCounting(true);
    try {
      const count = await countInvalid();
      if (count === 0) return toast.info(t("invalid.none"));
      const isSure = await confirm({
        title: t("invalid.title", { count }),
        text: t("invalid.text"),
        action: t("invalid.action", { count }),
        keep: t("invalid.keep"),
      });
      if (isSure) toast.success(t("invalid.done", { count: await remove.mutateAsync(undefined) }));
    } catch (error) {
      toast.error(error, t("invalid.failed"));
    } finally {
      setIsCounting(false);
    }
  };
  return (
    <BusyButton
      leftSection={<IconTrashX {...glyph} />}
      isBusy={isCounting || remove.isPending}
      onClick={() => void run()}
    >
      {t("invalid.word")}
    </BusyButton>
  );
}
