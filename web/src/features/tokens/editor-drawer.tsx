/** The drawer that creates tokens and edits one: the state of its form, a summary in one sentence, and what is sent. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AUTO_GROUP, type GroupEntries } from "../../../../contract/src/features/groups.ts";
import { type TokenRow, NEVER_EXPIRES } from "../../../../contract/src/features/tokens.ts";
import { copyText } from "../../lib/clipboard.ts";
import { language, useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { FormDrawer, FormSection, SideDrawer } from "../../ui/form/form-drawer.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { useForm } from "../../ui/form/use-form.ts";
import { AccessFields, BasicFields, CountField, LimitFields, type TokenFormState } from "./editor-fields.tsx";
import { fullKey, shortKey } from "./model/key.ts";
import { LoadingDrawer } from "./loading-drawer.tsx";
import {
  createBody,
  type FormField,
  formErrors,
  formOf,
  newForm,
  type Shown,
  type TokenForm,
  updateBody,
} from "./model/token-form.ts";
import { TokenStatus } from "./columns.tsx";
import { groupsQuery, tokenQuery, useCreateTokens, useUpdateToken } from "./queries.ts";
import { formatDate, formatQuota } from "../../lib/format.ts";
import { amountQuota, useQuotaView } from "../../ui/form/amount.ts";
import { expiryText, parseExpiry } from "./model/expiry.ts";

/** From here on the day says enough. */
const DAY_ALONE_FROM_S = 2 * 86_400;

const momentText = (atS: number, shown: Shown): string =>
  atS - Date.now() / 1000 < DAY_ALONE_FROM_S ? expiryText(atS, shown.language) : formatDate(atS);

/** Nothing while a field says something that cannot be read. */
function TokenSummary({ form, shown }: { form: TokenForm; shown: Shown }) {
  const { t } = useTranslation("tokens");
  const viewer = useViewer();
  const quota = amountQuota(form.amount, shown);
  const moment = parseExpiry(form.expires);
  if ((quota === undefined && !form.isUnlimited) || moment === undefined) return null;
  const count = form.models.length;
  const group = form.group || viewer?.group || "default";
  return t("editor.summary.whole", {
    models: count === 0 ? t("editor.summary.everyModel", { group }) : t("editor.summary.models", { count }),
    quota: form.isUnlimited
      ? t("editor.summary.unlimited")
      : t("editor.summary.quota", { quota: formatQuota(quota ?? 0) }),
    until:
      moment === NEVER_EXPIRES
        ? t("editor.summary.never")
        : t("editor.summary.until", { moment: momentText(moment, shown) }),
  });
}

function useShown(): Shown {
  const view = useQuotaView();
  useTranslation();
  return { ...view, language: language() };
}

interface FormProps {
  start: TokenForm;
  token: TokenRow | undefined;
  groups: GroupEntries;
  shown: Shown;
  onClose: () => void;
  onConnect?: ((id: number) => void) | undefined;
}

/** Field of the form for a field the server refused. */
const FIELDS: Readonly<Record<string, FormField>> = {
  name: "name",
  count: "count",
  remain_quota: "amount",
  expired_time: "expires",
  allow_ips: "allowIps",
};

function useTokenForm(start: TokenForm, isNew: boolean, shown: Shown): TokenFormState {
  const { t } = useTranslation("tokens");
  return useForm<TokenForm, FormField>({
    start: () => start,
    check: (values) => formErrors(values, start, isNew, shown, Date.now() / 1000),
    sentence: (key, values) => t(`editor.errors.${key}`, values),
    refusedField: (name) => FIELDS[name],
  });
}

function useSave({ start, token, shown, onClose, onConnect }: FormProps, state: TokenFormState) {
  const { t } = useTranslation("tokens");
  const create = useCreateTokens();
  const update = useUpdateToken();
  const tellCreated = async (tokens: readonly TokenRow[]) => {
    const [first] = tokens;
    if (first === undefined) return;
    if (tokens.length > 1) toast.success(t("createdMany", { count: tokens.length }));
    else {
      const isCopied = await copyText(fullKey(first.key));
      toast.success(t("created"), isCopied ? t("createdCopied", { key: shortKey(first.key) }) : undefined);
      onConnect?.(first.id);
    }
  };
  const saveNew = async () => {
    const tokens = await create.mutateAsync(createBody(state.values, shown));
    onClose();
    await tellCreated(tokens);
  };
  const saveOld = async (stored: TokenRow) => {
    const body = updateBody(stored, state.values, start, shown);
    if (Object.keys(body).length > 1) {
      await update.mutateAsync(body);
      toast.success(t("saved"), state.values.name);
    } else toast.info(t("nothingChanged"));
    onClose();
  };
  const failed = t(token === undefined ? "notCreated" : "notSaved");
  return () => state.submit(() => (token === undefined ? saveNew() : saveOld(token)), { failed });
}

function EditorForm(props: FormProps) {
  const { start, token, groups, shown, onClose } = props;
  const { t } = useTranslation("tokens");
  const state = useTokenForm(start, token === undefined, shown);
  const save = useSave(props, state);
  const isNew = token === undefined;
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={isNew ? t("create") : t("editor.editTitle", { name: token.name })}
      beside={token && <TokenStatus status={token.status} />}
      isDirty={state.isDirty}
      onSubmit={save}
      submitLabel={
        isNew
          ? Number(state.values.count) > 1
            ? t("editor.createMany", { count: Number(state.values.count) })
            : t("create")
          : t("editor.save")
      }
      hint={isNew ? t("editor.copyLater") : undefined}
      summary={<TokenSummary form={state.values} shown={shown} />}
    >
      <BasicFields state={state} groups={groups} hasOwnGroup={start.group === ""} />
      <LimitFields state={state} shown={shown} token={token} />
      <AccessFields state={state} groups={groups} />
      {isNew && (
        <FormSection title={t("editor.several")}>
          <CountField state={state} />
        </FormSection>
      )}
    </FormDrawer>
  );
}

/** Creates tokens, or edits the one with `id`. `onConnect` is offered the first new token. */
export function EditorDrawer({
  id,
  name = "",
  onClose,
  onConnect,
}: {
  id?: number;
  name?: string;
  onClose: () => void;
  onConnect?: (id: number) => void;
}) {
  const { t } = useTranslation("tokens");
  const shown = useShown();
  const viewer = useViewer();
  const site = useStatus();
  const groups = useQuery(groupsQuery);
  const token = useQuery({
    ...tokenQuery(id ?? 0),
    enabled: id !== undefined,
    refetchOnMount: "always",
    staleTime: Infinity,
  });
  const error = groups.error ?? token.error;
  if (error) {
    return (
      <SideDrawer isOpen onClose={onClose} title={id === undefined ? t("create") : t("edit")}>
        <ErrorState
          title={t("notLoadedOne")}
          error={error}
          onRetry={() => void Promise.all([groups.refetch(), id !== undefined && token.refetch()])}
        />
      </SideDrawer>
    );
  }
  if (groups.data === undefined || (id !== undefined && (token.data === undefined || token.isFetching)))
    return <LoadingDrawer title={t(id === undefined ? "create" : "edit")} onClose={onClose} />;
  const beginsWithAuto = site.default_use_auto_group && Object.hasOwn(groups.data, AUTO_GROUP);
  const firstGroup = beginsWithAuto ? AUTO_GROUP : (Object.keys(groups.data)[0] ?? viewer?.group ?? "");
  const start =
    token.data === undefined || id === undefined ? newForm(firstGroup, shown, name) : formOf(token.data, shown);
  return (
    <LoadedEditor
      start={start}
      token={id === undefined ? undefined : token.data}
      groups={groups.data}
      shown={shown}
      onClose={onClose}
      onConnect={onConnect}
    />
  );
}

/** Keeps what the drawer was opened with: a list fetched again meanwhile must not change what is being edited. */
function LoadedEditor(props: FormProps) {
  const [opened] = useState({ start: props.start, token: props.token });
  return <EditorForm {...props} {...opened} />;
}
