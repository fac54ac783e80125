/** Asks before an action would leave a model without any channel for its callers, and offers to undo the others. */
import {
  getImpact,
  type Impact,
  type ImpactQuestion,
  type LostModel,
  type LostModels,
} from "../../../../contract/src/channels/impact.ts";
import { CHANNEL_STATUS, type ChannelRow, setChannelStatuses } from "../../../../contract/src/features/channels.ts";
import { call } from "../../lib/api.ts";
import { formatNumber } from "../../lib/format.ts";
import { loadTexts, translator } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { sentences } from "../../lib/translate.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { useRefreshChannels } from "./mutations.ts";

const MODELS_NAMED = 5;
const UNDO_MS = 8000;

const t = translator(["channel-impact", "channels"]);

/** "gpt-a (default, vip), gpt-b (vip) and 4 more". */
function namesOf({ models, total }: Pick<LostModels, "models" | "total">): string {
  const comma = t("comma");
  const named = ({ model, groups }: LostModel) =>
    t("model", { model: visible(model), groups: groups.map(visible).join(comma) });
  const names = models.slice(0, MODELS_NAMED).map(named).join(comma);
  const rest = total - MODELS_NAMED;
  return rest > 0 ? t("more", { names, count: rest }) : names;
}

const counted = (key: "calls" | "people" | "tokens", count: number): string =>
  t(key, { count, formatted: formatNumber(count) });

/** What an act takes, as a question; what it leaves with one channel, and what goes to other channels first, as sentences. */
interface ImpactWords {
  lost: { title: string; text: string } | undefined;
  single: string | undefined;
  moved: string | undefined;
}

function wordsOf(impact: Impact): ImpactWords {
  const single = impact.single.total === 0 ? undefined : t("single", { models: namesOf(impact.single) });
  const moved = impact.moved.total === 0 ? undefined : t("moved", { models: namesOf(impact.moved) });
  if (impact.total === 0) return { lost: undefined, single, moved };
  const { people, tokens } = impact;
  const touched =
    people === 0 ? undefined : t("touched", { people: counted("people", people), tokens: counted("tokens", tokens) });
  const text = t("text", { models: namesOf(impact), calls: counted("calls", impact.calls) });
  const lost = { title: t("title", { count: impact.total }), text: sentences(text, touched, single, moved) };
  return { lost, single, moved };
}

async function impactWords(question: ImpactQuestion): Promise<ImpactWords> {
  const [impact] = await Promise.all([call(getImpact, { body: question }), loadTexts("channel-impact", "channels")]);
  return wordsOf(impact);
}

/** What an act would take, in sentences; undefined where it takes nothing. Throws ApiError. */
export const impactText = async (question: ImpactQuestion): Promise<ImpactWords["lost"]> =>
  (await impactWords(question)).lost;

/**
 * Whether channels may be disabled: nothing is lost by it, or the user confirmed; then with what is left with one channel, if anything.
 * Where the impact cannot be loaded, nothing is done and a message says so.
 */
export async function mayDisable(
  question: ImpactQuestion,
  name: string,
): Promise<{ single: string | undefined } | undefined> {
  try {
    const { lost, single } = await impactWords(question);
    const isSure = lost === undefined || (await confirm({ ...lost, action: t("disable"), keep: t("disableKeep") }));
    return isSure ? { single } : undefined;
  } catch (error) {
    await loadTexts("channels");
    toast.error(error, t("channels:notChanged", { name }));
    return undefined;
  }
}

/** Asks where taking a model off channels takes it from callers. False where the person keeps it. Throws ApiError where that cannot be asked. */
export async function mayTake(question: Extract<ImpactQuestion, { act: "take_model" }>): Promise<boolean> {
  const { lost } = await impactWords(question);
  return lost === undefined || confirm({ ...lost, action: t("take"), keep: t("takeKeep") });
}

type Edit = Extract<ImpactQuestion, { act: "edit_channels" }>;

/**
 * Asks where new values of channels take the last channel of a model from callers. Gives undefined where the person keeps editing, else
 * `text`: what else changes by them, "" for nothing. Throws ApiError where that cannot be asked.
 */
export async function maySave(question: Edit): Promise<{ text: string } | undefined> {
  const { lost, single, moved } = await impactWords(question);
  const isSure = lost === undefined || (await confirm({ ...lost, action: t("save"), keep: t("saveKeep") }));
  return isSure ? { text: sentences(single, moved) } : undefined;
}

/** Says for eight seconds what was disabled, what is `single` by it, and the way back for those that were enabled. */
export function useToldDisabled() {
  const refresh = useRefreshChannels();
  return (channels: readonly ChannelRow[], single: string | undefined): void => {
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
      text: single,
      act: `disable ${ids.join(" ")}`,
      shownMs: UNDO_MS,
      action: { label: t("undo"), onClick: () => void enable() },
    });
  };
}
