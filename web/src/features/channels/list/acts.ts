/** The page's acts on channels and tags: what asks first, what opens something, what just happens. */
import { useTranslation } from "react-i18next";
import { CHANNEL_STATUS, type ChannelRow } from "../../../../contract/src/features/channels.ts";
import { confirm } from "../../ui/confirm.ts";
import type { ChannelActs } from "./channel-actions.tsx";
import type { TagEntry } from "./fns/rows.ts";
import {
  useChangeChannel,
  useChangeTagStatus,
  useCopyChannel,
  useDeleteChannels,
  useMaintainChannels,
  useTagChannels,
  useTestChannel,
} from "./mutations.ts";
import type { TagActs } from "./tag-cells.tsx";

export interface Opens {
  edit: (channel: ChannelRow) => void;
  chooseModel: (channel: ChannelRow) => void;
  editTag: (entry: TagEntry) => void;
}

/** Asks, naming the channel, then deletes; true where it was deleted. */
export function useConfirmedDelete() {
  const { t } = useTranslation("channels");
  const remove = useDeleteChannels();
  return async (channels: readonly ChannelRow[]): Promise<boolean> => {
    const [only] = channels;
    const isOne = channels.length === 1 && only !== undefined;
    const one = () => ({
      title: t("delete.title", { name: only?.name }),
      text: t("delete.text"),
      action: t("delete.action"),
      keep: t("delete.keep"),
    });
    const many = () => ({
      title: t("delete.titleMany", { count: channels.length }),
      text: t("delete.textMany"),
      action: t("delete.actionMany"),
      keep: t("delete.keepMany"),
    });
    const question = isOne ? one() : many();
    if (!(await confirm(question))) return false;
    return remove.mutateAsync(channels.map(({ id }) => id)).then(
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
  const copy = useCopyChannel();
  const tagMany = useTagChannels();
  const confirmedDelete = useConfirmedDelete();
  const { removeDisabled, fix } = useMaintainChannels();

  const acts: ChannelActs = {
    edit: opens.edit,
    chooseModel: opens.chooseModel,
    test: (channel) => test.mutate({ channel }),
    setEnabled: (channel, isEnabled) =>
      change.mutate({ channel, change: { status: isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled } }),
    copy: (channel) => copy.mutate({ channel }),
    remove: (channel) => void confirmedDelete([channel]),
  };
  const tagActs: TagActs = {
    edit: opens.editTag,
    setStatus: (entry, isEnabled) => changeTag.mutate({ tag: entry.tag, isEnabled }),
    dissolve: (entry) => tagMany.mutate({ ids: entry.channels.map(({ id }) => id), tag: null }),
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
    testingId: test.isPending ? test.variables.channel.id : undefined,
    changeNumbers: (channel: ChannelRow, numbers: { priority: number } | { weight: number }) =>
      change.mutate({ channel, change: numbers }),
    deleteDisabled: () => void askDeleteDisabled(),
    fix: () => fix.mutate(),
    confirmedDelete,
  };
}
