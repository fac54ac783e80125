/** Asks before an action would take the last channel of a model from its callers, and offers to undo the others. */
import {
  getImpact,
  type ImpactQuestion,
  type LostModel,
  type LostModels,
} from "../../../../contract/src/channels/impact.ts";
import { CHANNEL_STATUS, type ChannelRow, setChannelStatuses } from "../../../../contract/src/features/channels.ts";
import { call } from "../../lib/api.ts";
import { formatNumber } from "../../lib/format.ts";
import { i18n, loadTexts } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { useRefreshChannels } from "./mutations.ts";

const MODELS_NAMED = 5;
const UNDO_MS = 8000;

const t = i18n.getFixedT(null, ["channel-impact", "channels"]);

/** "gpt-a (default, vip), gpt-b (vip) and 4 more". */
function namesOf({ models, total }: LostModels): string {
  const comma = t("comma");
  const named = ({ model, groups }: LostModel) =>
    t("model", { model: visible(model), groups: groups.map(visible).join(comma) });
  const names = models.slice(0, MODELS_NAMED).map(named).join(comma);
  const rest = total - MODELS_NAMED;
  return rest > 0 ? t("more", { names, count: rest }) : names;
}

/** What an act would take, in sentences; undefined where it takes nothing. Throws ApiError. */
export async function impactText(question: ImpactQuestion): Promise<{ title: string; text: string } | undefined> {
  const [lost] = await Promise.all([call(getImpact, { body: question }), loadTexts("channel-impact", "channels")]);
  if (lost.total === 0) return undefined;
  const calls = t("calls", { count: lost.calls, formatted: formatNumber(lost.calls) });
  return { title: t("title", { count: lost.total }), text: t("text", { models: namesOf(lost), calls }) };
}

/** True where channels may be disabled: nothing is lost by it, or the user confirmed. Where the impact cannot be loaded, nothing is done and a message says so. */
export async function mayDisable(question: ImpactQuestion, name: string): Promise<boolean> {
  try {
    const lost = await impactText(question);
    return lost === undefined || (await confirm({ ...lost, action: t("disable"), keep: t("disableKeep") }));
  } catch (error) {
    await loadTexts("channels");
    toast.error(error, t("channels:notChanged", { name }));
    return false;
  }
}

type Edit = Extract<ImpactQuestion, { act: "edit_channels" }>;

/** True where new models or groups may be saved: nothing is lost by them, or the user confirmed. Throws ApiError where that cannot be asked. */
export async function maySave(question: Edit): Promise<boolean> {
  const lost = await impactText(question);
  return lost === undefined || confirm({ ...lost, action: t("save"), keep: t("saveKeep") });
}

/** Says for eight seconds what was disabled, with the way back for those that were enabled. */
export function useToldDisabled() {
  const refresh = useRefreshChannels();
  return (channels: readonly ChannelRow[]): void => {
    const were = channels.filter(({ status }) => status === CHANNEL_STATUS.enabled);
    const [only] = were;
    if (only === undefined) return;
    const ids = were.map(({ id }) => id);
    const enable = async () => {
      try {
        await call(setChannelStatuses, { body: { ids, status: CHANNEL_STATUS.enabled } });
      } catch (error) {
        toast.error(error, t("channels:notChanged", { name: only.name }));
      }
      await refresh();
    };
    const title = were.length === 1 ? t("disabled", { name: only.name }) : t("disabledMany", { count: were.length });
    toast.success(title, {
      act: `disable ${ids.join(" ")}`,
      shownMs: UNDO_MS,
      action: { label: t("undo"), onClick: () => void enable() },
    });
  };
}
