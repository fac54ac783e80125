/** The drawer that creates and edits a channel, drawn from the providers' manifests. */
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { CHANNEL_STATUS, type ChannelRow, testChannelDraft } from "../../../../../contract/src/features/channels.ts";
import { ApiError, callFull } from "../../../lib/api.ts";
import { formatDurationMs } from "../../../lib/format.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../../ui/feedback/loading-bars.tsx";
import { FormDrawer, FormSection, SideDrawer } from "../../../ui/form/form-drawer.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { ProviderMark } from "../../../ui/display/provider-mark.tsx";
import { StatusDot } from "../../../ui/display/tags.tsx";
import { useConfirmedDelete } from "../list/acts.ts";
import { AdvancedFields } from "./advanced-fields.tsx";
import { ChannelMenu } from "../list/channel-actions.tsx";
import { providerOf } from "../list/columns.tsx";
import styles from "./editor.module.css";
import { chosenRows } from "../model/chosen.ts";
import { costsError } from "../model/costs.ts";
import { AddressError } from "./address-error.tsx";
import { hasFailed, failureIn, failureText } from "../model/failure.ts";
import {
  changedNames,
  checkForm,
  type ChannelForm,
  type FieldErrors,
  type FieldName,
  fieldOf,
  formOf,
  NEW_CHANNEL,
  wireOf,
} from "../model/form.ts";
import { useCopyChannel, useRefreshBalance } from "../mutations.ts";
import { useKeyForms } from "./provider-notes.tsx";
import { ProviderFields } from "./provider-fields.tsx";
import { channelQuery, providersQuery } from "../queries.ts";
import { RoutingFields } from "./routing-fields.tsx";
import { CostFields } from "./cost-fields.tsx";
import { useSaveChannel } from "./save.ts";
import type { Created } from "../created.tsx";
import type { TestFailure } from "../../../../../contract/src/channels/channel-tests.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { tellFailedTest } from "../test-call.ts";

const ACT = "test of the form";

/** The field that most likely is wrong: the key where it was refused, the address where no server answers. */
function blamed({ code, values }: TestFailure): FieldName | undefined {
  const status = code === "upstream_status" ? values["status"] : undefined;
  if (status === 401 || status === 403) return "key";
  return status === 404 || code === "connect" || code === "connect_timeout" || code === "address_refused"
    ? "base_url"
    : undefined;
}

interface DraftTestProps {
  channel: ChannelRow | undefined;
  form: ChannelForm;
  onErrors: (errors: FieldErrors) => void;
}

/** 'Test' in the drawer: tries what is in the form, saved or not, and says the result in the form, at the field that it is about. */
function DraftTest({ channel, form, onErrors }: DraftTestProps) {
  const { t } = useTranslation("channels");
  const navigate = useNavigate();
  const refuse = (error: unknown) => {
    const failure = error instanceof ApiError ? failureIn(error.extra) : undefined;
    const text = failure && failureText(t, failure);
    const field =
      failure === undefined ? fieldOf(error instanceof ApiError ? error.field : undefined) : blamed(failure);
    if (field !== undefined && error instanceof ApiError) onErrors({ [field]: text ?? error.message });
    const inWords = text !== undefined && error instanceof ApiError ? new ApiError(text, error) : error;
    tellFailedTest(inWords, t("form.draftFailed"), (href) => void navigate({ href }), ACT);
  };
  const test = useMutation({
    meta: { showsOwnError: true },
    mutationFn: () => {
      const body = { ...wireOf(form), ...(channel === undefined ? {} : { id: channel.id }) };
      return callFull(testChannelDraft, { body });
    },
    onSuccess: ({ extra }) => {
      onErrors({});
      toast.success(t("form.draftPassed", { time: formatDurationMs(extra.time * 1000) }), { act: ACT });
    },
    onError: refuse,
  });
  return (
    <BusyButton
      leftSection={<IconPlayerPlay size={14} stroke={1.5} />}
      isBusy={test.isPending}
      onClick={() => test.mutate()}
    >
      {t("actions.test")}
    </BusyButton>
  );
}

export interface EditorProps {
  /** Undefined creates one. */
  id: number | undefined;
  onClose: () => void;
  onChooseModel: (channel: ChannelRow) => void;
  onKeys: (channel: ChannelRow) => void;
  onOpen: (id: number) => void;
  onCreated: (created: Created) => void;
}

export function EditorDrawer(props: EditorProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const stored = useQuery({ ...channelQuery(props.id ?? 0), enabled: props.id !== undefined });
  const providers = useQuery(providersQuery);
  const error = stored.error ?? providers.error;
  const isReady = providers.data !== undefined && (props.id === undefined || stored.data !== undefined);
  if (isReady)
    return (
      <Editor
        key={props.id}
        {...props}
        channel={props.id === undefined ? undefined : stored.data}
        providers={providers.data}
      />
    );
  const isGone = error instanceof ApiError && error.code === "not_found";
  const retry = () => void Promise.all([stored.refetch(), providers.refetch()]);
  return (
    <SideDrawer isOpen onClose={props.onClose} title={props.id === undefined ? t("form.createTitle") : `#${props.id}`}>
      {error ? (
        <ErrorState title={t(isGone ? "form.gone" : "form.notLoaded")} error={error} onRetry={retry} />
      ) : (
        <LoadingBars />
      )}
    </SideDrawer>
  );
}

const STATUS_TONES: Record<number, { tone: "green" | "idle" | "red"; text: string }> = {
  [CHANNEL_STATUS.enabled]: { tone: "green", text: "status.enabled" },
  [CHANNEL_STATUS.disabled]: { tone: "idle", text: "status.disabled" },
  [CHANNEL_STATUS.autoDisabled]: { tone: "red", text: "status.autoDisabled" },
};

function Beside({ channel }: { channel: ChannelRow }) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const { tone, text } = STATUS_TONES[channel.status] ?? { tone: "idle" as const, text: "status.disabled" };
  const status = t(text);
  const timed = channel.response_time > 0 ? formatDurationMs(channel.response_time) : undefined;
  const time = hasFailed(channel) ? t("form.testFailed") : timed;
  return (
    <>
      <span>#{channel.id}</span>
      <StatusDot tone={tone}>{time === undefined ? status : t("form.statusAndTime", { status, time })}</StatusDot>
    </>
  );
}

function HeadMenu({
  channel,
  provider,
  onRemoved,
  onChooseModel,
  onKeys,
  onOpen,
}: Pick<EditorProps, "onChooseModel" | "onKeys" | "onOpen"> & {
  channel: ChannelRow;
  provider: ProviderRow | undefined;
  onRemoved: () => void;
}) {
  const copy = useCopyChannel();
  const balance = useRefreshBalance();
  const confirmedDelete = useConfirmedDelete();
  const remove = async () => {
    if (await confirmedDelete(chosenRows([channel]))) onRemoved();
  };
  const acts = {
    edit: () => undefined,
    test: () => undefined,
    setEnabled: () => undefined,
    chooseModel: onChooseModel,
    refreshBalance: () => balance.mutate({ channel }),
    keys: onKeys,
    copy: () => copy.mutate({ channel }, { onSuccess: ({ id }) => onOpen(id) }),
    remove: () => void remove(),
  };
  return <ChannelMenu channel={channel} provider={provider} acts={acts} hasEdit={false} />;
}

const NAMES_SHOWN = 3;

/** 'Test', and what is not saved yet. */
function Hint({
  channel,
  form,
  canTest,
  changed,
  onErrors,
}: {
  channel: ChannelRow | undefined;
  form: ChannelForm;
  canTest: boolean;
  changed: readonly string[];
  onErrors: (errors: FieldErrors) => void;
}) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const names = changed.slice(0, NAMES_SHOWN).map((name) => t(`channel-editor:names.${name}`));
  const text = names.join(t("form.comma"));
  const rest = changed.length - names.length;
  return (
    <>
      {canTest && <DraftTest channel={channel} form={form} onErrors={onErrors} />}
      {channel !== undefined && changed.length > 0 && (
        <span className={styles.unsaved}>
          <StatusDot tone="amber">
            {rest > 0 ? t("form.unsavedMore", { names: text, count: rest }) : t("form.unsaved", { names: text })}
          </StatusDot>
        </span>
      )}
    </>
  );
}

/** The state of the form, with the sentences of its errors and the names of the fields that were changed. */
function useChannelForm(channel: ChannelRow | undefined, providers: readonly ProviderRow[]) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const form = useForm<ChannelForm, FieldName>({
    start: () => (channel === undefined ? NEW_CHANNEL : formOf(channel)),
    check: (values) => checkForm(values, providerOf(providers, values.type)),
    refusedField: fieldOf,
  });
  const { start, values: typed } = form;
  const provider = providerOf(providers, typed.type);
  const keyForms = useKeyForms(provider);
  const errorOf = (name: FieldName): ReactNode => {
    // A key of our own sentences, or a sentence of the server.
    const error = form.errorOf(name);
    const example = provider?.fields.find((field) => field.name === name)?.placeholder;
    const values = { forms: keyForms, example, ...(name === "costs" ? { model: costsError(typed.costs)?.model } : {}) };
    // A manifest may name a field that has no sentence of its own.
    return error?.startsWith("errors.") ? t([error, "errors.missing.other"], values) : error;
  };
  return { ...form, provider, errorOf, changed: changedNames(start, typed) };
}

function Editor({
  channel,
  providers,
  onClose,
  ...props
}: EditorProps & { channel: ChannelRow | undefined; providers: readonly ProviderRow[] }) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const state = useChannelForm(channel, providers);
  const { values: form, provider, change: set, setErrors, errorOf, changed } = state;
  const [isRemoved, setIsRemoved] = useState(false);
  const close = useEffectEvent(onClose);
  // Only once the form guards nothing any more: what was typed for a channel that is gone cannot be kept.
  useEffect(() => {
    if (isRemoved) close();
  }, [isRemoved]);
  const { save, hasAddressError } = useSaveChannel({
    channel,
    before: state.start,
    form,
    provider,
    refuseField: state.refuse,
    onSaved: onClose,
    onCreated: (ids) => props.onCreated({ ids, name: form.name.trim(), canTest: provider?.can_test ?? false }),
  });
  const shownError = (name: keyof ChannelForm) =>
    name === "base_url" && hasAddressError && errorOf(name) !== undefined ? (
      <AddressError message={errorOf(name)} onAllowed={() => set({ base_url: form.base_url })} />
    ) : (
      errorOf(name)
    );
  const fields = { form, set, errorOf: shownError, provider };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={channel?.name ?? t("form.createTitle")}
      mark={<ProviderMark type={form.type} mark={provider?.mark} size={24} />}
      beside={channel && <Beside channel={channel} />}
      headActions={
        channel && <HeadMenu channel={channel} provider={provider} onRemoved={() => setIsRemoved(true)} {...props} />
      }
      isDirty={changed.length > 0 && !isRemoved}
      onSubmit={() => (state.check() ? save() : false)}
      submitLabel={t(channel === undefined ? "form.create" : "form.save")}
      hint={
        <Hint
          channel={channel}
          form={form}
          canTest={provider?.can_test ?? false}
          changed={changed}
          onErrors={setErrors}
        />
      }
    >
      <FormSection>
        <ProviderFields {...fields} providers={providers} channel={channel} onKeys={props.onKeys} />
      </FormSection>
      <FormSection title={t("form.routing")}>
        <RoutingFields {...fields} channel={channel} onErrors={(found) => setErrors((old) => ({ ...old, ...found }))} />
      </FormSection>
      <FormSection title={t("channel-editor:costs.title")}>
        <CostFields {...fields} />
      </FormSection>
      <FormSection>
        <AdvancedFields {...fields} />
      </FormSection>
    </FormDrawer>
  );
}
