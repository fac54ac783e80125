/** The form that creates and edits a channel, drawn from the providers' manifests: in a drawer over the list, or as a tab of the channel's page. */
import { Button } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useId, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { ApiError } from "../../../lib/api.ts";
import { formatDateTime, formatDurationMs } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { useMay } from "../../../lib/viewer.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { LoadingBars } from "../../../ui/feedback/loading-bars.tsx";
import { FormDrawer, type FormDrawerProps, FormPanel, SideDrawer } from "../../../ui/form/form-drawer.tsx";
import { ManagedNotice, useKnowsMarks, useMark } from "../../../ui/managed.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { ProviderMark } from "../../../ui/display/provider-mark.tsx";
import { StatusDot } from "../../../ui/display/tags.tsx";
import { useConfirmedDelete } from "../list/acts.ts";
import { ChannelMenu } from "../list/channel-actions.tsx";
import { providerOf } from "../list/columns.tsx";
import styles from "./editor.module.css";
import { chosenRows } from "../model/chosen.ts";
import { costsError } from "../model/costs.ts";
import { AddressError } from "./address-error.tsx";
import { failureText, hasFailed } from "../model/failure.ts";
import {
  changedNames,
  checkForm,
  type ChannelForm,
  type FieldErrors,
  type FieldName,
  fieldOf,
  formOf,
  NEW_CHANNEL,
} from "../model/form.ts";
import { useCopyChannel, useRefreshBalance } from "../mutations.ts";
import { useKeyForms } from "./provider-notes.tsx";
import { channelQuery, providersQuery } from "../queries.ts";
import { useSaveChannel } from "./save.ts";
import { Sections } from "./sections.tsx";
import type { Created } from "../created.tsx";

const TestMatrix = lazy(async () => ({ default: (await import("./test-matrix.tsx")).TestMatrix }));

/** Leads to a field: the one of that name, else the first that is marked as wrong. */
function focusField(name: FieldName): void {
  const find = (selector: string) => document.querySelector<HTMLElement>(`[data-guarded-form] ${selector}`);
  const field = find(`[data-field="${name}"]`) ?? find("[aria-invalid=true]");
  field?.focus();
  field?.scrollIntoView({ block: "center" });
}

interface EditorProps {
  /** Undefined creates one. */
  id: number | undefined;
  onClose: () => void;
  /** After the channel was deleted, in place of `onClose`. */
  onRemoved?: () => void;
  onChooseModel: (channel: ChannelRow) => void;
  onKeys: (channel: ChannelRow) => void;
  onOpen: (id: number) => void;
  onCreated?: (created: Created) => void;
}

interface FrameProps extends FormDrawerProps {
  isPanel: boolean;
}

const Frame = ({ isPanel, ...props }: FrameProps) => (isPanel ? <FormPanel {...props} /> : <FormDrawer {...props} />);

/** `isPanel`: a part of the page instead of a drawer over it. */
export function ChannelEditor({ isPanel = false, ...props }: EditorProps & { isPanel?: boolean }) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const stored = useQuery({ ...channelQuery(props.id ?? 0), enabled: props.id !== undefined });
  const providers = useQuery(providersQuery);
  const error = stored.error ?? providers.error;
  const knowsMarks = useKnowsMarks("channel");
  const isStoredReady = props.id === undefined || (stored.data !== undefined && knowsMarks);
  const isReady = providers.data !== undefined && isStoredReady;
  if (isReady)
    return (
      <Editor
        key={props.id}
        {...props}
        isPanel={isPanel}
        channel={props.id === undefined ? undefined : stored.data}
        providers={providers.data}
      />
    );
  const isGone = error instanceof ApiError && error.code === "not_found";
  const retry = () => void Promise.all([stored.refetch(), providers.refetch()]);
  const state = error ? (
    <ErrorState title={t(isGone ? "form.gone" : "form.notLoaded")} error={error} onRetry={retry} />
  ) : (
    <LoadingBars />
  );
  if (isPanel) return state;
  return (
    <SideDrawer isOpen onClose={props.onClose} title={props.id === undefined ? t("form.createTitle") : `#${props.id}`}>
      {state}
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
      <StatusDot tone={tone === "green" && hasFailed(channel) ? "amber" : tone}>
        {time === undefined ? status : t("form.statusAndTime", { status, time })}
      </StatusDot>
    </>
  );
}

/** Why the last test of the stored channel failed. */
function FailedTest({ channel }: { channel: ChannelRow }) {
  const { t } = useTranslation("channels");
  const { test_failure, test_time } = channel;
  if (!hasFailed(channel)) return null;
  const reason = test_failure === null ? t("status.noReason") : failureText(t, test_failure);
  return (
    <div className={styles.failedTest}>
      <Notice tone="red">
        {t("form.lastTestFailed", { time: formatDateTime(test_time), reason: visible(reason) })}
      </Notice>
    </div>
  );
}

/** Who manages the channel, or that the reader may not change it. */
function Standing({ id, channel, mayWrite }: { id: string; channel: ChannelRow | undefined; mayWrite: boolean }) {
  const { t } = useTranslation("channel-editor");
  const mark = useMark("channel", channel?.id);
  return (
    <div id={id}>
      {mayWrite || mark?.is_locked === true ? (
        <ManagedNotice mark={mark} isOverForm />
      ) : (
        <div className={styles.standing}>
          <Notice tone="blue">{t("form.notPermitted")}</Notice>
        </div>
      )}
    </div>
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
  canTest,
  changed,
  onTest,
}: {
  channel: ChannelRow | undefined;
  canTest: boolean;
  changed: readonly string[];
  onTest: () => void;
}) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const names = changed.slice(0, NAMES_SHOWN).map((name) => t(`channel-editor:names.${name}`));
  const text = names.join(t("form.comma"));
  const rest = changed.length - names.length;
  return (
    <>
      {canTest && (
        <Button leftSection={<IconPlayerPlay size={14} stroke={1.5} />} onClick={onTest}>
          {t("actions.test")}
        </Button>
      )}
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
  // What a test found, until its field is changed.
  const [tested, setTested] = useState<FieldErrors>({});
  const provider = providerOf(providers, typed.type);
  const keyForms = useKeyForms(provider);
  const errorOf = (name: FieldName): ReactNode => {
    // A key of our own sentences, or a sentence of the server.
    const error = form.errorOf(name) ?? tested[name];
    const example = provider?.fields.find((field) => field.name === name)?.placeholder;
    const values = { forms: keyForms, example, ...(name === "costs" ? { model: costsError(typed.costs)?.model } : {}) };
    // A manifest may name a field that has no sentence of its own.
    return error?.startsWith("errors.")
      ? t(error, { ...values, defaultValue: t("errors.missing.other", values) })
      : error;
  };
  return {
    ...form,
    change: (next: Partial<ChannelForm>) => {
      setTested((old) => ({ ...old, ...Object.fromEntries(Object.keys(next).map((name) => [name, undefined])) }));
      form.change(next);
    },
    check: () => {
      setTested({});
      return form.check();
    },
    markTested: (found: FieldErrors) => {
      form.setErrors({});
      setTested(found);
    },
    isRefused: (name: FieldName) => form.errorOf(name) !== undefined,
    provider,
    errorOf,
    changed: changedNames(start, typed),
  };
}

/** Calls `onRemoved` only once the form guards nothing any more: what was typed for a channel that is gone cannot be kept. */
function useRemoved(onRemoved: () => void) {
  const [isRemoved, setIsRemoved] = useState(false);
  const close = useEffectEvent(onRemoved);
  useEffect(() => {
    if (isRemoved) close();
  }, [isRemoved]);
  return { isRemoved, setIsRemoved };
}

function Editor({
  channel,
  providers,
  isPanel,
  onClose,
  onRemoved = onClose,
  ...props
}: EditorProps & { isPanel: boolean; channel: ChannelRow | undefined; providers: readonly ProviderRow[] }) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const state = useChannelForm(channel, providers);
  const { values: form, provider, change: set, setErrors, markTested, errorOf, changed } = state;
  const { isRemoved, setIsRemoved } = useRemoved(onRemoved);
  const mayWrite = useMay("channels_write");
  const isLocked = useMark("channel", channel?.id)?.is_locked === true || !mayWrite;
  const standing = useId();
  const [asked, setAsked] = useState(0);
  const [isAdvancedOpen, setIsAdvancedOpen] = useState<boolean>();
  const { save, hasAddressError } = useSaveChannel({
    channel,
    before: state.start,
    form,
    provider,
    refuseField: state.refuse,
    onSaved: onClose,
    onCreated: (ids) => props.onCreated?.({ ids, name: form.name.trim(), canTest: provider?.can_test ?? false }),
  });
  const shownError = (name: keyof ChannelForm) =>
    name === "base_url" && hasAddressError && errorOf(name) !== undefined ? (
      <AddressError message={errorOf(name)} onAllowed={() => set({ base_url: form.base_url })} />
    ) : (
      errorOf(name)
    );
  const fields = { form, set, errorOf: shownError, provider };
  const repair = (field: FieldName) => {
    // The time-out stands among the advanced fields, which may be closed.
    if (field === "setting") flushSync(() => setIsAdvancedOpen(true));
    if (field !== "key" || channel === undefined) return focusField(field);
    if (channel.key_choice !== "one") return props.onKeys(channel);
    // The box takes the focus when it comes.
    return form.key === undefined ? set({ key: "" }) : focusField(field);
  };
  const canTest = provider?.can_test ?? false;
  const hint = <Hint {...{ channel, canTest, changed }} onTest={() => setAsked(asked + 1)} />;
  return (
    <Frame
      isPanel={isPanel}
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
      isLocked={isLocked}
      hint={isLocked ? undefined : hint}
    >
      <Standing id={standing} channel={channel} mayWrite={mayWrite} />
      {channel && <FailedTest channel={channel} />}
      <Sections
        {...{ fields, channel, providers, isLocked }}
        isRefused={state.isRefused}
        reason={standing}
        onKeys={props.onKeys}
        onErrors={(found) => setErrors((old) => ({ ...old, ...found }))}
        isAdvancedOpen={isAdvancedOpen}
        onAdvanced={setIsAdvancedOpen}
      />
      {asked > 0 && (
        <Suspense fallback={<LoadingBars />}>
          <TestMatrix {...{ asked, form, provider }} channelId={channel?.id} onErrors={markTested} onRepair={repair} />
        </Suspense>
      )}
    </Frame>
  );
}
