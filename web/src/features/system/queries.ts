/** Queries of the system page: facts every few seconds, checks when it is opened and on demand. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  type BackupDestination,
  getSystem,
  getSystemChecks,
  makeSupportBundle,
  requestBackup,
} from "../../../../contract/src/features/system.ts";
import { call } from "../../lib/api.ts";

const FACTS_KEY = ["system", "facts"] as const;
const AGAIN_EVERY_MS = 10_000;
/** While a backup is asked for or runs. */
const SOON_AGAIN_MS = 2_000;

const isMoving = ({ is_requested, progress }: BackupDestination): boolean => is_requested || progress !== null;

export const factsQuery = queryOptions({
  queryKey: FACTS_KEY,
  queryFn: ({ signal }) => call(getSystem, { signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.backups.data?.some(isMoving) === true ? SOON_AGAIN_MS : AGAIN_EVERY_MS,
});

/** They ask other servers, so they are not repeated by themselves. */
export const checksQuery = queryOptions({
  queryKey: ["system", "checks"],
  queryFn: ({ signal }) => call(getSystemChecks, { signal }),
  staleTime: 60_000,
});

/** Asks for a backup, and reads the facts anew whether it was taken or not. */
export function useBackUpNow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (destination: BackupDestination["name"]) => call(requestBackup, { body: { destination } }),
    onSettled: () => client.invalidateQueries({ queryKey: FACTS_KEY }),
  });
}

export const useSupportBundle = () => useMutation({ mutationFn: () => call(makeSupportBundle, {}) });
