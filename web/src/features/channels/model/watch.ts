/** How a channel's upstream model list is watched: its keys of the JSON text `settings`, read and written beside the others. Pure. */
import type { WatchSettings } from "../../../../../contract/src/channels/model-watch.ts";

export interface WatchForm {
  isWatched: boolean;
  addsByItself: boolean;
  ignored: readonly string[];
}

const fieldsOf = (text: string): Record<string, unknown> | undefined => {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

/** The settings in the text; undefined where it is no JSON object, which its own field reports. */
export function watchOf(text: string): WatchForm | undefined {
  const fields: WatchSettings | undefined = fieldsOf(text);
  if (fields === undefined) return undefined;
  const { upstream_model_update_ignored_models: ignored } = fields;
  return {
    isWatched: fields.upstream_model_update_check_enabled === true,
    addsByItself: fields.upstream_model_update_auto_sync_enabled === true,
    ignored: Array.isArray(ignored) ? ignored.filter((name) => typeof name === "string") : [],
  };
}

/** The text with another way of watching; what is as without it is left out. */
export function withWatch(text: string, watch: WatchForm): string {
  const {
    upstream_model_update_check_enabled: _check,
    upstream_model_update_auto_sync_enabled: _sync,
    upstream_model_update_ignored_models: _ignored,
    ...others
  } = fieldsOf(text) ?? {};
  const fields = {
    ...others,
    ...(watch.isWatched && { upstream_model_update_check_enabled: true }),
    ...(watch.addsByItself && { upstream_model_update_auto_sync_enabled: true }),
    ...(watch.ignored.length > 0 && { upstream_model_update_ignored_models: watch.ignored }),
  };
  return Object.keys(fields).length === 0 ? "" : JSON.stringify(fields, null, 2);
}

/** What was found and is still open in the form: nothing that it has by now, has taken out, or ignores by name. */
export function openIn(
  models: readonly string[],
  ignored: readonly string[],
  found: { add_models: readonly string[]; remove_models: readonly string[] },
): { added: string[]; removed: string[] } {
  return {
    added: found.add_models.filter((model) => !models.includes(model) && !ignored.includes(model)),
    removed: found.remove_models.filter((model) => models.includes(model)),
  };
}
