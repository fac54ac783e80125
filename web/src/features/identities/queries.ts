/** Queries and mutations of the panel of named providers. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { BodyOf } from "../../../../contract/src/endpoint.ts";
import {
  createProvider,
  deleteProvider,
  type identityProviderSchema,
  listIdentityProviders,
  testProvider,
  updateProvider,
} from "../../../../contract/src/features/identities.ts";
import { call } from "../../lib/api.ts";
import { loadStatus } from "../../lib/status.ts";
import { withStepUp } from "../../ui/feedback/step-up.ts";

export type Provider = z.output<typeof identityProviderSchema>;
export type ProviderBody = BodyOf<typeof createProvider>;

export const providersQuery = queryOptions({
  queryKey: ["identities", "providers"],
  queryFn: ({ signal }) => call(listIdentityProviders, { signal }),
});

/** An act upon the providers: asks who it is where that is needed, and the list and the login page follow. */
function useAct<Input, Result>(act: (input: Input) => Promise<Result>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => withStepUp(() => act(input)),
    onSuccess: () => Promise.all([client.invalidateQueries({ queryKey: providersQuery.queryKey }), loadStatus()]),
    meta: { showsOwnError: true },
  });
}

/** @param id of the provider that is changed; undefined for a new one */
export const useSaveProvider = (id: number | undefined) =>
  useAct(({ slug, ...body }: ProviderBody) =>
    id === undefined
      ? call(createProvider, { body: { slug, ...body } })
      : call(updateProvider, { params: { id }, body }),
  );

/** The test of what is typed; resolves undefined where the person gave up confirming. */
export const useTestProvider = (id: number | undefined) =>
  useMutation({
    mutationFn: async (form: ProviderBody) => {
      const steps = await withStepUp(() => call(testProvider, { body: { id: id ?? 0, ...form } }));
      return steps && { typed: JSON.stringify(form), steps };
    },
    meta: { showsOwnError: true },
  });

/** Resolves true once it is gone, undefined where the person gave up confirming. */
export const useDeleteProvider = () =>
  useAct(async ({ id }: Provider) => {
    await call(deleteProvider, { params: { id } });
    return true;
  });
