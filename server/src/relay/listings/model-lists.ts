/** The list of models as each vendor's clients read it. */
import { modelEntry as geminiEntry } from "../../dialects/gemini/models.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";

export interface ListedModel {
  id: string;
  /** Folder name of the provider that offers it by default, or `custom`. */
  owner: string;
}

/** Constant on this kind of gateway; clients only sort by it. */
const CREATED_SECONDS = 1_626_777_600;
const CREATED_TEXT = new Date(CREATED_SECONDS * 1000).toISOString().replace(".000", "");

type Entry = (model: ListedModel) => object;

const openAiEntry: Entry = ({ id, owner }) => ({
  id,
  object: "model",
  created: CREATED_SECONDS,
  owned_by: owner,
  root: id,
  parent: null,
});

/** What Anthropic tells of its own models, and its clients look for (platform.claude.com/docs/en/api/models/list). */
const NOT_KNOWN = {
  capabilities: null,
  deprecated_at: null,
  line: null,
  max_input_tokens: null,
  max_tokens: null,
  retires_at: null,
} as const;

const ENTRIES: Readonly<Record<DialectName, Entry>> = {
  "openai-chat": openAiEntry,
  "openai-responses": openAiEntry,
  "anthropic-messages": ({ id }) => ({
    type: "model",
    id,
    display_name: id,
    created_at: CREATED_TEXT,
    lifecycle: "active",
    ...NOT_KNOWN,
  }),
  gemini: ({ id }) => geminiEntry(id),
};

/** One model (platform.openai.com, docs.anthropic.com and ai.google.dev, each "models"). */
export const modelEntry = (dialect: DialectName, model: ListedModel): object => ENTRIES[dialect](model);

/** All models, in one page. */
export function modelList(dialect: DialectName, models: readonly ListedModel[]): object {
  const data = models.map(ENTRIES[dialect]);
  if (dialect === "gemini") return { models: data };
  if (dialect !== "anthropic-messages") return { object: "list", success: true, data };
  return { data, first_id: models[0]?.id ?? null, has_more: false, last_id: models.at(-1)?.id ?? null };
}
