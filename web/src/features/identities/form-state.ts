/** The form state of a named provider, of OpenID or OAuth 2.0: values, discovery of its endpoints, and the server's refusals. */
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { discoverOidc } from "../../../../contract/src/features/options.ts";
import { ApiError, call } from "../../lib/api.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import type { Provider } from "./queries.ts";

const ADDRESSES = ["well_known", "authorization_endpoint", "token_endpoint", "user_info_endpoint"] as const;

const EMPTY = {
  kind: "oidc" as Provider["kind"],
  name: "",
  slug: "",
  is_enabled: true,
  client_id: "",
  client_secret: "",
  well_known: "",
  authorization_endpoint: "",
  token_endpoint: "",
  user_info_endpoint: "",
  scopes: "",
  client_authentication: "form" as Provider["client_authentication"],
  user_id_field: "id",
  username_field: "username",
  display_name_field: "name",
  email_field: "",
  email_verified_field: "",
  entry_conditions: "",
};

export type ProviderForm = typeof EMPTY;
export type ProviderField = Exclude<keyof ProviderForm, "is_enabled" | "kind" | "client_authentication">;
type Problems = Partial<Record<ProviderField, string>>;

const formOf = ({ id: _id, ...provider }: Provider): ProviderForm => ({ ...provider, client_secret: "" });

const SLUG = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Keys of the texts that say what is wrong. */
function problemsOf(form: ProviderForm, isNew: boolean): Partial<Record<ProviderField, string>> {
  const isOAuth = form.kind === "oauth2";
  const required: readonly ProviderField[] = [
    "name",
    "client_id",
    ...(isNew ? (["client_secret"] as const) : []),
    ...(isOAuth ? ([...ADDRESSES.slice(1), "user_id_field"] as const) : []),
  ];
  const missing = required.filter((field) => form[field].trim() === "");
  const hasEndpoints = ADDRESSES.slice(1).every((field) => form[field].trim() !== "");
  return {
    ...Object.fromEntries(missing.map((field) => [field, "missing"])),
    ...(isNew && !SLUG.test(form.slug) ? { slug: "slug" } : {}),
    ...(!isOAuth && form.well_known.trim() === "" && !hasEndpoints ? { well_known: "addresses" } : {}),
  };
}

/** @param provider that is changed; undefined for a new one */
export function useProviderForm(provider: Provider | undefined) {
  const { t } = useTranslation("identities");
  const isNew = provider === undefined;
  const [start] = useState(() => (provider === undefined ? EMPTY : formOf(provider)));
  const [form, setForm] = useState<ProviderForm>(start);
  const [problems, setProblems] = useState<Problems>({});
  const [isFetching, setIsFetching] = useState(false);
  const change = (next: Partial<ProviderForm>) => {
    setForm((old) => ({ ...old, ...next }));
    setProblems((old) => ({ ...old, ...Object.fromEntries(Object.keys(next).map((field) => [field, undefined])) }));
  };
  /** True where nothing is wrong. */
  const check = (): boolean => {
    const found = Object.entries(problemsOf(form, isNew)).map(([field, key]) => [field, t(`problem.${key}`)]);
    setProblems(Object.fromEntries(found) as Problems);
    return found.length === 0;
  };
  /** Puts the server's sentence under its field, or into a toast where it is about none. */
  const takeRefusal = (error: unknown): void => {
    const field = error instanceof ApiError ? error.field : undefined;
    if (error instanceof ApiError && field !== undefined && field in EMPTY) setProblems({ [field]: error.message });
    else toast.error(error, t("notSaved"));
  };
  const discover = async () => {
    setIsFetching(true);
    try {
      const { issuer: _issuer, ...found } = await call(discoverOidc, { body: { url: form.well_known.trim() } });
      change({ ...found, well_known: form.well_known.trim() });
    } catch (error) {
      setProblems((old) => ({ ...old, well_known: error instanceof Error ? error.message : String(error) }));
    } finally {
      setIsFetching(false);
    }
  };
  const isDirty = (Object.keys(form) as (keyof ProviderForm)[]).some((field) => form[field] !== start[field]);
  return { form, change, check, problems, takeRefusal, discover, isFetching, isDirty, isNew };
}

export type ProviderFormState = ReturnType<typeof useProviderForm>;
