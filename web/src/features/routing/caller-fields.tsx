/** The fields of the route explainer that say whose the call would be: a user and a token, both by name, and a group. */
import { Autocomplete, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { listGroups } from "../../../../contract/src/features/groups.ts";
import { findCallers, type RouteCallers } from "../../../../contract/src/features/routing.ts";
import { call } from "../../lib/api.ts";
import { visible } from "../../lib/names.ts";
import { OptionalLabel } from "../../ui/form/fields.tsx";
import type { OPERATIONS } from "./route.ts";
import styles from "./routing.module.css";

/** The typed values. */
export interface Fields {
  model: string;
  user: string;
  token: number | undefined;
  group: string;
  input: number | undefined;
  operation: (typeof OPERATIONS)[number];
}

export interface PartProps {
  fields: Fields;
  set: (change: Partial<Fields>) => void;
  /** Refusals of the server by the name of their field. */
  errors: Readonly<Record<string, string | undefined>>;
}

const PAUSE_MS = 200;

const groupNamesQuery = queryOptions({
  queryKey: ["groups"],
  queryFn: ({ signal }) => call(listGroups, { signal }),
});

const callersQuery = (keyword: string, user: string) =>
  queryOptions({
    queryKey: ["route-callers", keyword, user],
    queryFn: ({ signal }) => call(findCallers, { query: { keyword, user }, signal }),
    placeholderData: keepPreviousData,
  });

function UserField({ fields, set, errors }: PartProps) {
  const { t } = useTranslation("routing");
  const [keyword] = useDebouncedValue(fields.user, PAUSE_MS);
  const { data } = useQuery(callersQuery(keyword.trim(), ""));
  return (
    <Autocomplete
      label={<OptionalLabel>{t("form.user")}</OptionalLabel>}
      placeholder={t("form.userPlaceholder")}
      data={data?.users.map(({ username }) => username) ?? []}
      // The server has searched, by ids too.
      filter={({ options }) => options}
      value={fields.user}
      error={errors["user"]}
      onChange={(user) => set({ user, token: undefined })}
    />
  );
}

type TokenFound = RouteCallers["tokens"][number];

const labelOf = ({ id, name, username }: TokenFound): string => `${visible(name)} · ${visible(username)} · #${id}`;

function TokenField({ fields, set, errors }: PartProps) {
  const { t } = useTranslation("routing");
  const { token, user } = fields;
  const [typed, setTyped] = useState("");
  const [keyword] = useDebouncedValue(typed, PAUSE_MS);
  const chosenId = token === undefined ? "" : String(token);
  // A token out of the address is known by its id alone.
  const chosen = useQuery({ ...callersQuery(chosenId, ""), enabled: chosenId !== "" }).data?.tokens;
  const known = chosen?.find(({ id }) => id === token);
  const isLabel = known !== undefined && keyword === labelOf(known);
  const found = useQuery(callersQuery(isLabel ? "" : keyword.trim(), user.trim())).data?.tokens ?? [];
  const offered = new Map([...(known === undefined ? [] : [known]), ...found].map((each) => [each.id, each]));
  const data = [...offered.values()].map((each) => ({ value: String(each.id), label: labelOf(each) }));
  const isUnknown = token !== undefined && !offered.has(token);
  return (
    <Select
      label={<OptionalLabel>{t("form.token")}</OptionalLabel>}
      placeholder={t("form.tokenPlaceholder")}
      data={isUnknown ? [{ value: chosenId, label: `#${chosenId}` }, ...data] : data}
      filter={({ options }) => options}
      searchable
      clearable
      nothingFoundMessage={t("form.noToken")}
      searchValue={typed}
      onSearchChange={setTyped}
      value={chosenId === "" ? null : chosenId}
      error={errors["token"]}
      onChange={(id) => set({ token: id === null ? undefined : Number(id) })}
    />
  );
}

export function CallerFields(props: PartProps) {
  const { t } = useTranslation("routing");
  const { fields, set } = props;
  const groups = useQuery(groupNamesQuery);
  return (
    <>
      <UserField {...props} />
      <TokenField {...props} />
      <Select
        className={styles.long ?? ""}
        label={<OptionalLabel>{t("form.group")}</OptionalLabel>}
        placeholder={t("form.groupPlaceholder")}
        data={[...new Set([...(groups.data ?? []), ...(fields.group === "" ? [] : [fields.group])])]}
        value={fields.group === "" ? null : fields.group}
        clearable
        onChange={(group) => set({ group: group ?? "" })}
      />
    </>
  );
}
