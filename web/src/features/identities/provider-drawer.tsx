/** The drawer that adds or changes a named provider, of OpenID or OAuth 2.0. */
import { PasswordInput, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "../../lib/i18n.ts";
import { CallbackAddress } from "../../ui/identities/callback-address.tsx";
import { Field, FieldLink, FieldLinks, OptionalLabel, Segmented, Toggle } from "../../ui/form/fields.tsx";
import { ManagedNotice, useManagedQuestion, useMark } from "../../ui/managed.tsx";
import { FormDrawer, FormSection } from "../../ui/form/form-drawer.tsx";
import { LockedFields } from "../../ui/form/locked-fields.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { type ProviderField, type ProviderFormState, useProviderForm } from "./form-state.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { TestSteps } from "../../ui/identities/test-steps.tsx";
import { type Provider, useSaveProvider, useTestProvider } from "./queries.ts";
import styles from "./identities.module.css";

const ORDER = ["label", "input", "description", "error"] as const;
const KINDS = ["oidc", "oauth2"] as const;
const AUTHENTICATIONS = ["form", "header"] as const;
const PROFILE_FIELDS = ["username_field", "display_name_field", "email_field", "email_verified_field"] as const;
const ENDPOINTS = ["authorization_endpoint", "token_endpoint", "user_info_endpoint"] as const;

interface FieldProps {
  state: ProviderFormState;
  name: ProviderField;
  isOptional?: boolean;
}

function Line({ state, name, isOptional = false, ...rest }: FieldProps & { disabled?: boolean; placeholder?: string }) {
  const { t } = useTranslation("identities");
  const { form, change, problems } = state;
  const label = t(`field.${name}`);
  return (
    <TextInput
      {...rest}
      label={isOptional ? <OptionalLabel>{label}</OptionalLabel> : label}
      value={form[name]}
      autoComplete="off"
      spellCheck={false}
      inputWrapperOrder={[...ORDER]}
      description={problems[name] ? undefined : t(`help.${name}`, { defaultValue: "" })}
      error={problems[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
}

function Secret({ state }: { state: ProviderFormState }) {
  const { t } = useTranslation("identities");
  const { form, change, problems, isNew } = state;
  return (
    <PasswordInput
      label={isNew ? t("field.client_secret") : <OptionalLabel>{t("field.newSecret")}</OptionalLabel>}
      value={form.client_secret}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ "aria-label": t("showSecret") }}
      inputWrapperOrder={[...ORDER]}
      description={problems.client_secret || isNew ? undefined : t("help.newSecret")}
      error={problems.client_secret}
      onChange={(event) => change({ client_secret: event.currentTarget.value })}
    />
  );
}

function Addresses({ state }: { state: ProviderFormState }) {
  const { t } = useTranslation("identities");
  const { form, discover, isFetching } = state;
  return (
    <FormSection title={t("addresses")}>
      <div className={styles.wellKnown}>
        <FieldLinks>
          <FieldLink isDisabled={isFetching || form.well_known.trim() === ""} onClick={() => void discover()}>
            {t(isFetching ? "fetching" : "fetch")}
          </FieldLink>
        </FieldLinks>
        <Line state={state} name="well_known" placeholder="https://id.example.org/.well-known/openid-configuration" />
      </div>
      {ENDPOINTS.map((name) => (
        <Line key={name} state={state} name={name} isOptional={form.well_known.trim() !== ""} placeholder="https://" />
      ))}
    </FormSection>
  );
}

/** The addresses of a site without OpenID, and the scopes that its page asks for. */
function PlainAddresses({ state }: { state: ProviderFormState }) {
  const { t } = useTranslation("identities");
  return (
    <FormSection title={t("addresses")}>
      {ENDPOINTS.map((name) => (
        <Line key={name} state={state} name={name} placeholder="https://" />
      ))}
      <Line state={state} name="scopes" isOptional placeholder="read:user" />
    </FormSection>
  );
}

/** Where a site's answer has what, and whom it lets in. */
function Mapping({ state }: { state: ProviderFormState }) {
  const { t } = useTranslation("identities");
  const { form, change, problems } = state;
  return (
    <>
      <FormSection title={t("mapping")}>
        <Line state={state} name="user_id_field" placeholder="id" />
        {PROFILE_FIELDS.map((name) => (
          <Line key={name} state={state} name={name} isOptional />
        ))}
      </FormSection>
      <FormSection title={t("entry")}>
        <Textarea
          label={<OptionalLabel>{t("field.entry_conditions")}</OptionalLabel>}
          value={form.entry_conditions}
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          placeholder={"trust_level >= 2\ngroups contains staff"}
          inputWrapperOrder={[...ORDER]}
          description={problems.entry_conditions ? undefined : t("help.entry_conditions")}
          error={problems.entry_conditions}
          onChange={(event) => change({ entry_conditions: event.currentTarget.value })}
        />
      </FormSection>
    </>
  );
}

function Kind({ state }: { state: ProviderFormState }) {
  const { t } = useTranslation("identities");
  const { form, change, isNew } = state;
  if (!isNew) return null;
  return (
    <Field label={t("field.kind")} htmlFor="provider-kind" help={t(`kind.${form.kind}Help`)}>
      <Segmented
        label={t("field.kind")}
        options={KINDS.map((value) => ({ value, text: t(`kind.${value}`) }))}
        value={form.kind}
        onChange={(kind) => change(kind === "oauth2" ? { kind, well_known: "" } : { kind })}
      />
    </Field>
  );
}

function ClientAuthentication({ state }: { state: ProviderFormState }) {
  const { t } = useTranslation("identities");
  const { form, change } = state;
  return (
    <Field
      label={t("field.client_authentication")}
      htmlFor="provider-client-authentication"
      help={t("help.client_authentication")}
    >
      <Segmented
        label={t("field.client_authentication")}
        options={AUTHENTICATIONS.map((value) => ({ value, text: t(`authentication.${value}`) }))}
        value={form.client_authentication}
        onChange={(client_authentication) => change({ client_authentication })}
      />
    </Field>
  );
}

/** The test of what is typed, saved or not; its result stands while the form is as it was tested. */
function Test({ state, id }: { state: ProviderFormState; id: number | undefined }) {
  const { t } = useTranslation("identities");
  const { form, check, takeRefusal } = state;
  const test = useTestProvider(id);
  const run = () => {
    if (check()) test.mutate(form, { onError: takeRefusal });
  };
  const isNow = test.data?.typed === JSON.stringify(form);
  return (
    <FormSection title={t("test.title")}>
      <p className={styles.help} id="provider-test-help">
        {t("test.help")}
      </p>
      <BusyButton isBusy={test.isPending} onClick={run} aria-describedby="provider-test-help">
        {t("test.act")}
      </BusyButton>
      <div role="status">{test.data !== undefined && isNow && <TestSteps steps={test.data.steps} />}</div>
    </FormSection>
  );
}

export function ProviderDrawer({ provider, onClose }: { provider: Provider | undefined; onClose: () => void }) {
  const { t } = useTranslation("identities");
  const state = useProviderForm(provider);
  const save = useSaveProvider(provider?.id);
  const { form, change, isNew } = state;
  const mark = useMark("provider", provider?.id);
  const mayChange = useManagedQuestion();
  const isOAuth = form.kind === "oauth2";
  const isLocked = mark?.is_locked === true;
  const submit = async () => {
    if (!state.check()) return false;
    if (!(await mayChange([mark]))) return true;
    try {
      // Undefined where the person gave up confirming: what is typed stays.
      if ((await save.mutateAsync(form)) === undefined) return true;
    } catch (error) {
      state.takeRefusal(error);
      return false;
    }
    onClose();
    toast.success(t("saved", { name: form.name.trim() }));
    return true;
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={provider === undefined ? t("add") : t("editName", { name: provider.name })}
      isDirty={state.isDirty}
      onSubmit={submit}
      submitLabel={t(isNew ? "add" : "save")}
      isLocked={isLocked}
    >
      <ManagedNotice mark={mark} />
      <FormSection title={t("provider")}>
        <LockedFields isLocked={isLocked}>
          <Kind state={state} />
          <Line state={state} name="name" placeholder="Okta" />
          {isNew && <Line state={state} name="slug" placeholder="okta" />}
          <Toggle
            isOn={form.is_enabled}
            label={t("field.is_enabled")}
            text={t("help.is_enabled")}
            onChange={(is_enabled) => change({ is_enabled })}
          />
        </LockedFields>
        {form.slug !== "" && <CallbackAddress provider={form.slug} help={t("callbackHelp")} />}
      </FormSection>
      <LockedFields isLocked={isLocked}>
        <FormSection title={t("client")}>
          <Line state={state} name="client_id" />
          <Secret state={state} />
          {isOAuth && <ClientAuthentication state={state} />}
        </FormSection>
        {isOAuth ? <PlainAddresses state={state} /> : <Addresses state={state} />}
        {isOAuth && <Mapping state={state} />}
      </LockedFields>
      <Test state={state} id={provider?.id} />
    </FormDrawer>
  );
}
