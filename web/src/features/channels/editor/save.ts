/** Saves the channel form: the warning about /v1, create or edit with what changed, and refusals on their fields. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type ChannelRow, createChannel, updateChannel } from "../../../../contract/src/features/channels.ts";
import { ApiError, call } from "../../lib/api.ts";
import { confirm } from "../../ui/confirm.ts";
import { toast } from "../../ui/toast-store.ts";
import {
  type ChannelForm,
  changedNames,
  endsWithVersion,
  type FieldErrors,
  fieldOf,
  updateOf,
  wireOf,
} from "./fns/form.ts";
import { useRefreshChannels } from "./mutations.ts";

interface Saving {
  channel: ChannelRow | undefined;
  before: ChannelForm;
  form: ChannelForm;
  setErrors: (errors: FieldErrors) => void;
  onSaved: () => void;
}

/** `save` resolves false where a field was refused; `refusal` is set while the address is what was refused. */
export function useSaveChannel({ channel, before, form, setErrors, onSaved }: Saving): {
  save: () => Promise<boolean>;
  refusal: boolean;
} {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  const [refusal, setRefusal] = useState(false);

  const send = async () => {
    if (channel === undefined) {
      const ids = await call(createChannel, { body: wireOf(form) });
      toast.success(t("form.created", { count: ids.length }), form.name.trim());
    } else {
      await call(updateChannel, { body: updateOf(channel.id, before, form) });
      toast.success(t("form.saved"), form.name.trim());
    }
  };
  const refuse = (error: unknown): boolean => {
    if (!(error instanceof ApiError)) throw error;
    const field = fieldOf(error.field);
    setRefusal(error.code === "address_refused");
    if (field !== undefined) setErrors({ [field]: error.message });
    else if (error.status === 0) toast.error(error, t("form.submitFailed"));
    else toast.error(error, t("form.notSaved"));
    return false;
  };
  const isSure = async (): Promise<boolean> => {
    const asks = endsWithVersion(form.base_url) && form.base_url !== before.base_url;
    return (
      !asks ||
      confirm({
        title: t("version.title"),
        text: t("version.text"),
        action: t("version.action"),
        keep: t("version.keep"),
        tone: "plain",
      })
    );
  };
  const save = async (): Promise<boolean> => {
    if (channel !== undefined && changedNames(before, form).length === 0) {
      toast.info(t("form.unchanged"));
      return true;
    }
    if (!(await isSure())) return true;
    try {
      await send();
    } catch (error) {
      return refuse(error);
    }
    await refresh();
    onSaved();
    return true;
  };
  return { save, refusal };
}
