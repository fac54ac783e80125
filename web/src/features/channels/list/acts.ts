/** The actions on channels and tags: those that ask for confirmation, those that open a drawer, and the rest. */
import { type TFunction, useTranslation } from "../../../lib/i18n.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import type { ChannelActs } from "./channel-actions.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { impactText, mayDisable, useToldDisabled } from "../impact.ts";
import { type Chosen, chosenRows } from "../model/chosen.ts";
import type { TagEntry } from "../model/rows.ts";
import {
  useChangeChannel,
  useChangeTagStatus,
  useCopyChannel,
  useDeleteChannels,
  useMaintainChannels,
  useTagChannels,
  useRefreshBalance,
  usePendingBalances,
  usePendingTests,
  useTestChannel,
} from "../mutations.ts";
import type { TagActs } from "./tag-cells.tsx";

export interface Opens {
  edit: (channel: ChannelRow) => void;
  chooseModel: (channel: ChannelRow) => void;
  keys: (channel: ChannelRow) => void;
  editTag: (entry: TagEntry) => void;
}

/** The question before `chosen` are deleted: one by its name, many by their number. */
function deleteQuestion({ channels, count, areAllMatching }: Chosen, t: TFunction) {
  const [only] = channels;
  if (count === 1 && only !== undefined)
    return {
      title: t("delete.title", { name: only.name }),
      text: t("delete.text"),
      action: t("delete.action"),
      keep: t("delete.keep"),
    };
  return {
    title: t("delete.titleMany", { count }),
    text: t(areAllMatching ? "delete.textMatching" : "delete.textMany"),
    action: t("delete.actionMany", { count }),
    keep: t("delete.keepMany"),
  };
}

/** Asks, then deletes; true where they were deleted. */
export function useConfirmedDelete() {
  const { t } = useTranslation("channels");
  const remove = useDeleteChannels();
  return async (chosen: Chosen): Promise<boolean> => {
    const asked = deleteQuestion(chosen, t);
    try {
      const lost = await impactText({ ...chosen.choice, act: "delete_channels" });
      const text = lost === undefined ? asked.text : t("delete.andLost", lost);
      if (!(await confirm({ ...asked, text }))) return false;
    } catch (error) {
      toast.error(error, t("delete.notAsked"));
      return false;
    }
    return remove.mutateAsync(chosen.choice).then(
      () => true,
      () => false,
    );
  };
}

export function useChannelActs(opens: Opens) {
  const { t } = useTranslation("channels");
  const change = useChangeChannel();
  const changeTag = useChangeTagStatus();
  const test = useTestChannel();
  const balance = useRefreshBalance();
  const copy = useCopyChannel();
  const tagMany = useTagChannels();
  const confirmedDelete = useConfirmedDelete();
  const { removeDisabled, fix } = useMaintainChannels();

  const toldDisabled = useToldDisabled();
  const setEnabled = async (channel: ChannelRow, isEnabled: boolean) => {
    if (isEnabled) return change.mutate({ channel, change: { status: CHANNEL_STATUS.enabled } });
    const may = await mayDisable({ act: "disable_channels", ids: [channel.id] }, channel.name);
    if (may === undefined) return;
    const onSuccess = () => toldDisabled([channel], may.single);
    change.mutate({ channel, change: { status: CHANNEL_STATUS.disabled } }, { onSuccess });
  };
  const setTagEnabled = async ({ tag, channels }: TagEntry, isEnabled: boolean) => {
    if (isEnabled) return changeTag.mutate({ tag, isEnabled });
    const may = await mayDisable({ act: "disable_channels", tag }, tag);
    if (may === undefined) return;
    changeTag.mutate({ tag, isEnabled }, { onSuccess: () => toldDisabled(channels, may.single) });
  };

  const acts: ChannelActs = {
    edit: opens.edit,
    chooseModel: opens.chooseModel,
    keys: opens.keys,
    test: (channel) => test.mutate({ channel }),
    setEnabled: (channel, isEnabled) => void setEnabled(channel, isEnabled),
    refreshBalance: (channel) => balance.mutate({ channel }),
    copy: (channel) => copy.mutate({ channel }),
    remove: (channel) => void confirmedDelete(chosenRows([channel])),
  };
  const tagActs: TagActs = {
    edit: opens.editTag,
    setStatus: (entry, isEnabled) => void setTagEnabled(entry, isEnabled),
    dissolve: (entry) => tagMany.mutate({ choice: chosenRows(entry.channels).choice, tag: null }),
  };
  const askDeleteDisabled = async () => {
    const question = {
      title: t("deleteDisabled.title"),
      text: t("deleteDisabled.text"),
      action: t("deleteDisabled.action"),
    };
    if (await confirm(question)) removeDisabled.mutate();
  };
  return {
    acts,
    tagActs,
    testing: usePendingTests(),
    balancing: usePendingBalances(),
    changeNumbers: (channel: ChannelRow, numbers: { priority: number } | { weight: number }) =>
      change.mutate({ channel, change: numbers }),
    deleteDisabled: () => void askDeleteDisabled(),
    fix: () => fix.mutate(),
    confirmedDelete,
  };
}
