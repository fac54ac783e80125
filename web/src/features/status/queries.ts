/** The public texts of the site. */
import { queryOptions } from "@tanstack/react-query";
import {
  getAbout,
  getHomePageContent,
  getNotice,
  getPrivacyPolicy,
  getUserAgreement,
} from "../../../../contract/src/features/status.ts";
import { getPricing } from "../../../../contract/src/features/pricing.ts";
import { call, callFull } from "../../lib/api.ts";

const LONG_MS = 300_000;

export const homeQuery = queryOptions({
  queryKey: ["site", "home"],
  queryFn: ({ signal }) => call(getHomePageContent, { signal }),
  staleTime: LONG_MS,
  retry: 0,
});
export const aboutQuery = queryOptions({
  queryKey: ["site", "about"],
  queryFn: ({ signal }) => call(getAbout, { signal }),
  staleTime: LONG_MS,
});
const TERMS = { agreement: getUserAgreement, privacy: getPrivacyPolicy } as const;
export type TermsName = keyof typeof TERMS;

/** The text of the user agreement or of the privacy policy, asked for anew at each visit: people accept what they read. */
export const termsQuery = (name: TermsName) =>
  queryOptions({
    queryKey: ["site", "terms", name],
    queryFn: ({ signal }) => call(TERMS[name], { signal }),
  });
export const noticeQuery = queryOptions({
  queryKey: ["site", "notice"],
  queryFn: ({ signal }) => call(getNotice, { signal }),
  staleTime: LONG_MS,
  retry: 0,
});

/** Names of the models a viewer can reach, by name. */
export const modelsQuery = (viewerId: number | undefined) =>
  queryOptions({
    queryKey: ["site", "models", viewerId ?? 0],
    queryFn: async ({ signal }) =>
      (await callFull(getPricing, { signal })).data
        .filter((entry) => entry.has_price && entry.enable_groups.length > 0)
        .map((entry) => entry.model_name),
    staleTime: LONG_MS,
    retry: 0,
  });
