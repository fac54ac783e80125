/** Acts on a channel's keys as other consoles of this API family send them: by the position of a key, over those by id. */
import { KEY_STATUS } from "../../../../../contract/src/channels/choices.ts";
import type { KeyPage, manageKeys } from "../../../../../contract/src/channels/keys.ts";
import { AppError } from "../../../../../contract/src/errors.ts";
import type { ConsoleContext, HandlerInput } from "../../http/handlers.ts";
import type { Actor } from "../../kit/audit.ts";
import { findKeys } from "./store.ts";
import { listKeys, removeChannelKeys, setStatusesOfKeys } from "./service.ts";

type Sent = HandlerInput<typeof manageKeys>["body"];

const DEFAULT_PAGE_SIZE = 50;

/** One page of the keys with their places; a page beyond the last is the last. Throws not_found. */
async function pageOf(context: ConsoleContext, sent: Sent): Promise<KeyPage> {
  const { channel_id: id, status, page_size: size = DEFAULT_PAGE_SIZE } = sent;
  const { total, enabled, disabled, auto_disabled } = await listKeys(context, id, status, { offset: 0, limit: 1 });
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(Math.max(1, sent.page ?? 1), pages);
  const { keys } = await listKeys(context, id, status, { offset: (page - 1) * size, limit: size });
  // Places count among all keys, also where only those of one status are shown.
  const all = await context.database.kysely
    .selectFrom("channel_keys")
    .select("id")
    .where("channel_id", "=", id)
    .orderBy("id")
    .execute();
  const places = new Map(all.map((key, place) => [key.id, place]));
  return {
    keys: keys.map((key) => ({
      index: places.get(key.id) ?? 0,
      status: key.status,
      disabled_time: key.status === KEY_STATUS.enabled ? 0 : key.status_time,
      reason: key.status_reason,
      key_preview: key.mark,
    })),
    total,
    page,
    page_size: size,
    total_pages: pages,
    enabled_count: enabled,
    manual_disabled_count: disabled,
    auto_disabled_count: auto_disabled,
  };
}

/** Id of the key at a place. Throws invalid_field. */
async function idAt(context: ConsoleContext, { channel_id, key_index }: Sent): Promise<number> {
  if (key_index === undefined)
    throw new AppError("invalid_field", { field: "key_index", message: "This action is on one key: send key_index" });
  const { rows } = await findKeys(context.database, channel_id, undefined, { offset: key_index, limit: 1 });
  const [row] = rows;
  if (row === undefined)
    throw new AppError("invalid_field", { field: "key_index", message: `The channel has no key ${key_index}` });
  return row.id;
}

/** Does what is asked; the page for `get_key_status`. Throws not_found, invalid_field and what the act on keys throws. */
export async function manageByPlace(context: ConsoleContext, actor: Actor, sent: Sent): Promise<KeyPage | undefined> {
  const { channel_id: id, action } = sent;
  const set = async (chosen: { ids: readonly number[] } | { which: "all" }, status: number) => {
    await setStatusesOfKeys(context, actor, id, chosen, status);
  };
  switch (action) {
    case "get_key_status":
      return pageOf(context, sent);
    case "enable_key":
    case "disable_key":
      await set(
        { ids: [await idAt(context, sent)] },
        action === "enable_key" ? KEY_STATUS.enabled : KEY_STATUS.disabled,
      );
      return undefined;
    case "enable_all_keys":
    case "disable_all_keys":
      await set({ which: "all" }, action === "enable_all_keys" ? KEY_STATUS.enabled : KEY_STATUS.disabled);
      return undefined;
    case "delete_key":
      await removeChannelKeys(context, actor, id, { ids: [await idAt(context, sent)] });
      return undefined;
    case "delete_disabled_keys":
      await removeChannelKeys(context, actor, id, { which: "auto_disabled" });
      return undefined;
  }
}
