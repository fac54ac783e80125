/** What a chat begins with before a word is said: its system prompt, and what stands between the person and the first answer. Pure. */
import { AUTO_GROUP } from "../../../../../contract/src/features/groups.ts";
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import type { Language } from "../../../lib/i18n.ts";
import { type Choice, type GroupChoice, modelsOf } from "./choices.ts";
import type { Conversation } from "./conversation.ts";

/** The system prompt of a new conversation, in the language of the console. */
const DEFAULT_SYSTEMS: Readonly<Record<Language, string>> = {
  en: "You are a helpful assistant. Answer clearly, and say so where you are not sure.",
  zh: "请作为乐于助人的助手清楚地回答；没有把握之处请说明。",
};

export const defaultSystem = (language: Language): string => DEFAULT_SYSTEMS[language];

/** Whether the chat has the default prompt of another language, and nothing was said in it yet. */
export const hasForeignDefault = ({ system, lanes }: Conversation, language: Language): boolean =>
  system !== DEFAULT_SYSTEMS[language] &&
  Object.values(DEFAULT_SYSTEMS).includes(system) &&
  lanes.every(({ messages }) => messages.length === 0);

/** So many groups are offered in place of one without a model. */
const GROUPS_MOST = 3;

/**
 * `ready`: the wanted model answers. `standIn`: another one does, since the wanted one is of another `kind` than chats, or is not offered in
 * the group; `group` is another one of the person that has it. `none`: no model of the group chats; `groups` are others in which one does.
 */
export type Start =
  | { state: "ready" }
  | { state: "standIn"; wanted: string; kind: PricingEntry["kind"] | undefined; group: string | undefined }
  | { state: "none"; groups: readonly string[] };

interface Offered {
  entries: readonly PricingEntry[];
  groups: readonly GroupChoice[];
}

/** @param wanted the model that was asked for; "" where any is right */
export function startOf({ entries, groups }: Offered, choice: Pick<Choice, "group" | "model">, wanted: string): Start {
  const having = (isRight: (entry: PricingEntry) => boolean): string[] =>
    groups
      .map(({ name }) => name)
      .filter((name) => name !== choice.group && name !== AUTO_GROUP && modelsOf(entries, name).some(isRight));
  if (choice.model === "") return { state: "none", groups: having(() => true).slice(0, GROUPS_MOST) };
  if (wanted === "" || wanted === choice.model) return { state: "ready" };
  const kind = entries.find(({ model_name }) => model_name === wanted)?.kind;
  return {
    state: "standIn",
    wanted,
    kind: kind === "chat" ? undefined : kind,
    group: having(({ model_name }) => model_name === wanted)[0],
  };
}
