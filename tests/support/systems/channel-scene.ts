/** A console with an administrator and a channel form, for the tests of channels. */
import type { ChannelRow } from "../../../contract/src/features/channels.ts";
import { openTestConsole } from "./console.ts";
import type { Caller, TestConsole } from "./console.ts";
import type { Engine } from "../../../server/src/db/database.ts";
import type { RelayTools } from "../../../server/src/console/relay-tools.ts";

/** A key that no answer may contain. */
export const PLANTED_KEY = "sk-planted-abcdefghijklmnopqrstuvwxyz-9876";

export const CHANNEL_FORM = Object.freeze({
  type: 1,
  name: "main",
  key: PLANTED_KEY,
  models: "gpt-a,gpt-b",
  groups: ["default", "vip"],
});

export interface ChannelScene {
  site: TestConsole;
  admin: Caller;
  /** Makes a channel of the form and gives its id (the first one, of several keys). */
  make(more?: object): Promise<number>;
  read(id: number): Promise<ChannelRow>;
  list(query?: string): Promise<ChannelRow[]>;
  /** Removes every channel and ability. */
  clear(): Promise<void>;
}

export async function openChannelScene(
  engine: Engine,
  relay: Partial<RelayTools>,
  clock?: () => number,
): Promise<ChannelScene> {
  const site = await openTestConsole(engine, relay, clock);
  const admin = await site.person(10);
  const make = async (more: object = {}) => {
    const [id = 0] = await admin.data<number[]>("POST", "/api/channel/", { ...CHANNEL_FORM, ...more });
    return id;
  };
  const clear = async () => {
    await site.foundation.database.kysely.deleteFrom("abilities").execute();
    await site.foundation.database.kysely.deleteFrom("channels").execute();
  };
  const read = (id: number) => admin.data<ChannelRow>("GET", `/api/channel/${id}`);
  const list = async (query = "page_size=100") =>
    (await admin.data<{ items: ChannelRow[] }>("GET", `/api/channel/?${query}`)).items;
  return { site, admin, make, read, list, clear };
}
