/** Queries and mutations of the personal page. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import type { BodyOf } from "../../../../contract/src/endpoint.ts";
import { listBindings } from "../../../../contract/src/features/identities.ts";
import {
  getSelf,
  ownModels,
  type SelfRow,
  updateSetting,
  type UserSetting,
} from "../../../../contract/src/features/personal.ts";
import { call } from "../../lib/api.ts";
import { rememberSidebar } from "../../lib/viewer.ts";

/** The own account with its setting, which the server keeps as a text. */
export interface Account extends Omit<SelfRow, "setting"> {
  setting: UserSetting;
}

const SELF_KEY = ["personal", "self"] as const;

export const selfQuery = queryOptions({
  queryKey: SELF_KEY,
  queryFn: async ({ signal }): Promise<Account> => {
    const row = await call(getSelf, { signal });
    // The server writes this text by the schema of the same name.
    const setting = JSON.parse(row.setting) as UserSetting;
    rememberSidebar(setting.sidebar_modules);
    return { ...row, setting };
  },
});

export const ownModelsQuery = queryOptions({
  queryKey: ["personal", "models"],
  queryFn: ({ signal }) => call(ownModels, { signal }),
  staleTime: 60_000,
});

export const bindingsQuery = queryOptions({
  queryKey: ["personal", "bindings"],
  queryFn: ({ signal }) => call(listBindings, { signal }),
});

/** Reads the own account again. */
export function useRefreshAccount(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: SELF_KEY });
}

/** Fields that are not sent stay as they are. */
export const saveSetting = (body: BodyOf<typeof updateSetting>): Promise<unknown> => call(updateSetting, { body });
