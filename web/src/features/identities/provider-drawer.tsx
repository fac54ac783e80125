/** The drawer that adds or changes a named OpenID provider. */
import { PasswordInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CallbackAddress } from "../../ui/identities/callback-address.tsx";
import { FieldLink, FieldLinks, OptionalLabel, Toggle } from "../../ui/form/fields.tsx";
import { FormDrawer, FormSection } from "../../ui/form/form-drawer.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { type ProviderField, type ProviderFormState, useProviderForm } from "./form-state.ts";
import { type Provider, useSaveProvider } from "./queries.ts";
import styles from "./identities.module.css";

const ORDER = ["label", "input", "description", "error"] as const;
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

export function ProviderDrawer({ provider, onClose }: { provider: Provider | undefined; onClose: () => void }) {
  const { t } = useTranslation("identities");
  const state = useProviderForm(provider);
  const save = useSaveProvider(provider?.id);
  const { form, change, isNew } = state;
  const submit = async () => {
    if (!state.check()) return false;
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
    >
      <FormSection title={t("provider")}>
        <Line state={state} name="name" placeholder="Okta" />
        {isNew && <Line state={state} name="slug" placeholder="okta" />}
        <Toggle
          isOn={form.is_enabled}
          label={t("field.is_enabled")}
          text={t("help.is_enabled")}
          onChange={(is_enabled) => change({ is_enabled })}
        />
        {form.slug !== "" && <CallbackAddress provider={form.slug} help={t("callbackHelp")} />}
      </FormSection>
      <FormSection title={t("client")}>
        <Line state={state} name="client_id" />
        <Secret state={state} />
      </FormSection>
      <Addresses state={state} />
    </FormDrawer>
  );
}
