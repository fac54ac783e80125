/** The drawer's routing fields: models, groups, tag, priority, weight and automatic disabling. */
import { Autocomplete, MultiSelect } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { formatPercent } from "../../../lib/format.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import {
  type ChannelRow,
  fetchChannelModels,
  fetchUpstreamModels,
  weighChannel,
  listUnpricedModels,
} from "../../../../../contract/src/features/channels.ts";
import type { Envelope } from "../../../../../contract/src/endpoint.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { FieldLink, OptionalLabel, Toggle } from "../../../ui/form/fields.tsx";
import { FieldPair } from "../../../ui/form/form-drawer.tsx";
import { useIsLocked } from "../../../ui/form/locked-fields.tsx";
import { NumberField } from "../../../ui/form/number-field.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import {
  type ChannelForm,
  cleanBaseUrl,
  type FieldErrors,
  formOf,
  MAPPING_TEMPLATE,
  wireOf,
  type FieldsProps,
} from "../model/form.ts";
import { asNumber, asText, parsePriority, parseWeight } from "../model/numbers.ts";
import { tierShare } from "../model/share.ts";
import { addModels } from "../model/models.ts";
import { AddressError } from "./address-error.tsx";
import { JsonField } from "./json-field.tsx";
import { ModelsField } from "./models-field.tsx";
import { SavedListsLink } from "./saved-lists.tsx";
import { CHANNELS_KEY, groupsQuery, modelNamesQuery, useTagNames } from "../queries.ts";

const StoredModels = lazy(async () => ({ default: (await import("./stored-models.tsx")).StoredModels }));
const ModelWatchFields = lazy(async () => ({ default: (await import("./model-watch.tsx")).ModelWatchFields }));

const NONE: ReadonlySet<string> = new Set();

/** Those whose calls would be refused. What is not known yet is not among them; a model that was judged keeps its mark while others are asked for. */
function useUnpriced(models: readonly string[]): ReadonlySet<string> {
  const [known, setKnown] = useState(NONE);
  const query = useQuery({
    queryKey: ["channel-unpriced", models],
    queryFn: async ({ signal }) => new Set(await call(listUnpricedModels, { body: { models: [...models] }, signal })),
    enabled: models.length > 0,
    staleTime: 10_000,
    // A mark that could not be had is no reason to disturb: saving does not depend on it.
    meta: { showsOwnError: true },
  });
  if (query.data !== undefined && query.data !== known) setKnown(query.data);
  return models.length === 0 ? NONE : (query.data ?? known);
}

export type RoutingProps = FieldsProps & { channel: ChannelRow | undefined; onErrors: (errors: FieldErrors) => void };

/** True where the stored channel reaches what the form describes, so the server can ask with the stored key. */
function reachesSame(channel: ChannelRow, form: ChannelForm): boolean {
  const stored = formOf(channel);
  return (
    form.key === undefined &&
    form.type === stored.type &&
    cleanBaseUrl(form.base_url) === stored.base_url &&
    form.other === stored.other &&
    form.openai_organization === stored.openai_organization &&
    form.setting.proxy.trim() === stored.setting.proxy.trim()
  );
}

const isRefusedAddress = (error: unknown): boolean => error instanceof ApiError && error.code === "address_refused";

/** Either call: that of the stored channel, or of what the form says. */
const FETCH = "list of models";

/** The field that a list of models was refused for. */
function fieldOfFailure(error: unknown): "key" | "base_url" | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.field === "key" || error.field === "base_url") return error.field;
  if (error.code !== "upstream_failed") return undefined;
  const values = error.extra["values"] as Envelope<unknown>["values"];
  const status = values?.["status"];
  if (status === 401 || status === 403) return "key";
  return status === undefined || status === 404 ? "base_url" : undefined;
}

function useFetchModels({ form, set, channel, onErrors }: RoutingProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const fetchModels = useMutation({
    meta: { showsOwnError: true },
    mutationFn: () => {
      if (channel !== undefined && reachesSame(channel, form))
        return call(fetchChannelModels, { params: { id: channel.id } });
      const { type, base_url, other, openai_organization } = wireOf(form);
      return call(fetchUpstreamModels, {
        body: { type: type ?? 1, base_url, other, openai_organization, key: form.key ?? "" },
      });
    },
    onSuccess: (models) => {
      const result = addModels(form.models, models);
      set({ models: result.models });
      const message =
        result.added > 0
          ? t("channel-editor:form.modelsAdded", { count: result.added })
          : t("channel-editor:form.modelsKnown");
      toast.success(message, { act: FETCH });
    },
    onError: (error) => {
      // A refused address is answered at the field, with what allows it.
      if (isRefusedAddress(error)) return;
      const field = fieldOfFailure(error);
      if (field !== undefined) onErrors({ [field]: error.message });
      toast.error(error, t("form.fetchFailed"), { act: FETCH });
    },
  });
  const hasKey = (form.key ?? "").trim() !== "" || (channel !== undefined && reachesSame(channel, form));
  const { error } = fetchModels;
  return {
    isFetching: fetchModels.isPending,
    fetch: () => (hasKey ? fetchModels.mutate() : onErrors({ key: "errors.key" })),
    addressError:
      error !== null && isRefusedAddress(error) ? (
        <AddressError message={error.message} onAllowed={() => fetchModels.mutate()} />
      ) : undefined,
  };
}

function Models(props: RoutingProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { form, set, errorOf, provider } = props;
  const names = useQuery(modelNamesQuery);
  const { isFetching, fetch, addressError } = useFetchModels(props);
  const defaults = provider?.models ?? [];
  return (
    <ModelsField
      models={form.models}
      onChange={(models) => set({ models })}
      known={[...defaults, ...(names.data ?? [])]}
      unpriced={useUnpriced(form.models)}
      error={addressError ?? errorOf("models")}
      links={
        <>
          {provider?.lists_models === true && (
            <FieldLink isDisabled={isFetching} onClick={fetch}>
              {t("channel-editor:form.fetch")}
            </FieldLink>
          )}
          <FieldLink
            isDisabled={defaults.every((model) => form.models.includes(model))}
            onClick={() => set({ models: addModels(form.models, defaults).models })}
          >
            {t("channel-editor:form.fill")}
          </FieldLink>
          <SavedListsLink models={form.models} onChange={(models) => set({ models })} />
        </>
      }
    />
  );
}

/** The share of calls that the typed weight would give among the present channels. */
function useWeightHelp(form: ChannelForm, channel: ChannelRow | undefined): string | undefined {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const priority = parsePriority(form.priority);
  const weight = parseWeight(form.weight);
  const [models, groups] = [[...form.models], [...form.groups]];
  const rivals = useQuery({
    queryKey: [...CHANNELS_KEY, "tier", channel?.id, priority, models, groups],
    queryFn: ({ signal }) =>
      call(weighChannel, {
        body: { ...(channel === undefined ? {} : { id: channel.id }), priority: priority ?? 0, models, groups },
        signal,
      }),
    enabled: priority !== undefined,
    placeholderData: keepPreviousData,
    // A help that could not be had is no reason to disturb: saving does not depend on it.
    meta: { showsOwnError: true },
  }).data;
  if (rivals === undefined || priority === undefined || weight === undefined) return undefined;
  const { others } = rivals;
  const share = formatPercent(tierShare(weight, rivals));
  return others === 0
    ? t("channel-editor:form.weightAlone")
    : t("channel-editor:form.weightShare", { count: others, share });
}

function PlaceFields({ form, set, errorOf, channel }: RoutingProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const groups = useQuery(groupsQuery);
  const tags = useTagNames();
  const weightHelp = useWeightHelp(form, channel);
  return (
    <>
      <FieldPair>
        <MultiSelect
          label={t("form.groups")}
          disabled={useIsLocked()}
          data={[...new Set([...(groups.data ?? []), ...form.groups])]}
          value={[...form.groups]}
          error={errorOf("groups")}
          placeholder={form.groups.length === 0 ? "default" : ""}
          onChange={(chosen) => set({ groups: chosen })}
        />
        <Autocomplete
          label={<OptionalLabel>{t("form.tag")}</OptionalLabel>}
          data={tags}
          value={form.tag}
          error={errorOf("tag")}
          onChange={(tag) => set({ tag })}
        />
      </FieldPair>
      <FieldPair>
        <NumberField
          label={t("form.priority")}
          description={t("channel-editor:form.priorityHelp")}
          min={-999}
          error={errorOf("priority")}
          value={asNumber(form.priority)}
          onChange={(priority) => set({ priority: asText(priority) })}
        />
        <NumberField
          label={t("form.weight")}
          description={weightHelp ?? "\u00a0"}
          min={0}
          error={errorOf("weight")}
          value={asNumber(form.weight)}
          onChange={(weight) => set({ weight: asText(weight) })}
        />
      </FieldPair>
      <NumberField
        label={<OptionalLabel>{t("channel-editor:form.inputLimit")}</OptionalLabel>}
        description={t("channel-editor:form.inputLimitHelp")}
        placeholder={t("channel-editor:form.noLimit")}
        min={1}
        error={errorOf("max_input_tokens")}
        value={asNumber(form.max_input_tokens)}
        onChange={(limit) => set({ max_input_tokens: asText(limit) })}
      />
    </>
  );
}

export function RoutingFields(props: RoutingProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { form, set, errorOf } = props;
  const mappingError = errorOf("model_mapping");
  return (
    <>
      <Models {...props} />
      {props.provider?.lists_models === true && (
        <Suspense>
          <ModelWatchFields form={form} set={set} id={props.channel?.id} />
        </Suspense>
      )}
      {props.provider?.stores_models === true && props.channel !== undefined && reachesSame(props.channel, form) && (
        <Suspense>
          <StoredModels
            id={props.channel.id}
            onPulled={(model) => set({ models: addModels(form.models, [model]).models })}
          />
        </Suspense>
      )}
      <JsonField
        label={t("form.mapping")}
        isOptional
        value={form.model_mapping}
        onChange={(model_mapping) => set({ model_mapping })}
        template={MAPPING_TEMPLATE}
        help={t("form.mappingHelp")}
        error={typeof mappingError === "string" ? mappingError : undefined}
      />
      <PlaceFields {...props} />
      <Toggle
        isOn={form.auto_ban}
        onChange={(auto_ban) => set({ auto_ban })}
        label={t("channel-editor:form.autoBan")}
        text={t("channel-editor:form.autoBanText")}
      />
    </>
  );
}
