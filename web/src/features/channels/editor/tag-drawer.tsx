/** The drawer of a tag: its name, and what is to change in all its channels at once. */
import { MultiSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../../lib/i18n.ts";
import { type TagUpdate } from "../../../../../contract/src/channels/channel-form.ts";
import { updateTag } from "../../../../../contract/src/features/channels.ts";
import { call } from "../../../lib/api.ts";
import { FieldPair, FormDrawer, FormSection } from "../../../ui/form/form-drawer.tsx";
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";
import { NumberField } from "../../../ui/form/number-field.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { OptionalLabel } from "../../../ui/form/fields.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { MAPPING_TEMPLATE } from "../model/form.ts";
import type { TagEntry } from "../model/rows.ts";
import { JsonField } from "./json-field.tsx";
import { ModelsField } from "./models-field.tsx";
import { maySave } from "../impact.ts";
import { useRefreshChannels } from "../mutations.ts";
import { groupsQuery, modelNamesQuery } from "../queries.ts";
import { TagStatus } from "../list/tag-cells.tsx";

interface TagForm {
  name: string;
  models: readonly string[];
  groups: string[];
  mapping: string;
  priority: number | undefined;
  weight: number | undefined;
}

/** Only what was filled in, and the new name. */
function bodyOf(tag: string, form: TagForm): TagUpdate {
  const name = form.name.trim();
  return {
    tag,
    ...(name === tag ? {} : { new_tag: name }),
    ...(form.models.length === 0 ? {} : { models: form.models.join(",") }),
    ...(form.groups.length === 0 ? {} : { groups: form.groups }),
    ...(form.mapping.trim() === "" ? {} : { model_mapping: form.mapping.trim() }),
    ...(form.priority === undefined ? {} : { priority: form.priority }),
    ...(form.weight === undefined ? {} : { weight: Math.max(0, form.weight) }),
  };
}

/** Asks where new values leave callers without a channel. Where the impact cannot be loaded, nothing is done and a message says so. */
async function mayReplace({ tag, models, groups, priority, weight }: TagUpdate, failedText: string): Promise<boolean> {
  const sent = Object.entries({ models, groups, priority, weight }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  if (sent.length === 0) return true;
  try {
    return (await maySave({ act: "edit_channels", tag, ...Object.fromEntries(sent) })) !== undefined;
  } catch (error) {
    toast.error(error, failedText);
    return false;
  }
}

const isUnchanged = (tag: string, form: TagForm): boolean => Object.keys(bodyOf(tag, form)).length === 1;

function useSaveTag(onSaved: () => void) {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  return useMutation({
    meta: { showsOwnError: true },
    mutationFn: (body: TagUpdate) => call(updateTag, { body }),
    onSuccess: (count) => {
      toast.success(t("tag.saved", { count }));
      onSaved();
    },
    onError: (error) => toast.error(error, t("tag.notSaved")),
    onSettled: refresh,
  });
}

/** Fields to set on all channels of the tag. */
function SharedFields({ form, set }: { form: TagForm; set: (change: Partial<TagForm>) => void }) {
  const { t } = useTranslation("channels");
  const groups = useQuery(groupsQuery);
  const names = useQuery(modelNamesQuery);
  return (
    <>
      <ModelsField
        models={form.models}
        onChange={(models) => set({ models })}
        known={names.data ?? []}
        isOptional
        help={t("tag.replaces")}
      />
      <MultiSelect
        label={<OptionalLabel>{t("form.groups")}</OptionalLabel>}
        description={t("tag.replaces")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        data={groups.data ?? []}
        value={form.groups}
        placeholder={form.groups.length === 0 ? t("tag.keep") : ""}
        onChange={(chosen) => set({ groups: chosen })}
      />
      <JsonField
        label={t("form.mapping")}
        isOptional
        value={form.mapping}
        onChange={(mapping) => set({ mapping })}
        template={MAPPING_TEMPLATE}
        help={t("form.mappingHelp")}
      />
      <FieldPair>
        <NumberField
          label={<OptionalLabel>{t("form.priority")}</OptionalLabel>}
          placeholder={t("tag.keep")}
          min={-999}
          value={form.priority}
          onChange={(priority) => set({ priority })}
        />
        <NumberField
          label={<OptionalLabel>{t("form.weight")}</OptionalLabel>}
          placeholder={t("tag.keep")}
          min={0}
          value={form.weight}
          onChange={(weight) => set({ weight })}
        />
      </FieldPair>
    </>
  );
}

export function TagDrawer({ entry, onClose }: { entry: TagEntry; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const state = useForm<TagForm, "name" | "mapping">({
    start: () => ({ name: entry.tag, models: [], groups: [], mapping: "", priority: undefined, weight: undefined }),
    check: ({ name, mapping }) => ({
      ...(name.trim() === "" ? { name: t("tag.nameMissing", { act: t("tag.dissolve") }) } : {}),
      // Its field says where the text stops being JSON.
      ...(findJsonError(mapping) === undefined ? {} : { mapping: "" }),
    }),
    onChange: "live",
  });
  const { values: form, change: set } = state;
  const save = useSaveTag(onClose);
  const submit = async () => {
    if (!state.check()) return false;
    if (isUnchanged(entry.tag, form)) {
      toast.info(t("form.unchanged"));
      return undefined;
    }
    const body = bodyOf(entry.tag, form);
    if (!(await mayReplace(body, t("tag.notSaved")))) return undefined;
    await save.mutateAsync(body);
    return true;
  };
  return (
    <FormDrawer
      isOpen
      onClose={onClose}
      title={t("tag.title", { tag: entry.tag })}
      beside={<TagStatus entry={entry} />}
      isDirty={!isUnchanged(entry.tag, form)}
      onSubmit={submit}
      submitLabel={t("tag.save")}
      hint={t("tag.keepHint")}
    >
      <FormSection>
        <TextInput
          data-autofocus
          label={t("tag.name")}
          error={state.errorOf("name")}
          value={form.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      </FormSection>
      <FormSection title={t("tag.change")}>
        <SharedFields form={form} set={set} />
      </FormSection>
    </FormDrawer>
  );
}
