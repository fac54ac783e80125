/** Saves the channel form: the warning about /v1, create or edit with what changed, and refused fields named where they are. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import {
  type ChannelRow,
  createChannel,
  getChannel,
  updateChannel,
} from "../../../../../contract/src/features/channels.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import {
  asksForVersion,
  type ChannelForm,
  changedNames,
  clashesOf,
  type FieldErrors,
  fieldOf,
  formOf,
  updateOf,
  wireOf,
} from "../model/form.ts";
import { useRefreshChannels } from "../mutations.ts";

interface Saving {
  channel: ChannelRow | undefined;
  before: ChannelForm;
  form: ChannelForm;
  provider: ProviderRow | undefined;
  setErrors: (errors: FieldErrors) => void;
  onSaved: () => void;
  /** Beside `onSaved`, with the ids of new channels. */
  onCreated: (ids: readonly number[]) => void;
}

/** `save` resolves false where a field was refused; `hasAddressError` while the address is what was refused. */
export function useSaveChannel({ channel, before, form, provider, setErrors, onSaved, onCreated }: Saving): {
  save: () => Promise<boolean>;
  hasAddressError: boolean;
} {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  const [hasAddressError, setHasAddressError] = useState(false);

  const send = async () => {
    if (channel === undefined) {
      // What comes next stands on the page.
      onCreated(await call(createChannel, { body: wireOf(form) }));
    } else {
      await call(updateChannel, { body: updateOf(channel.id, before, form) });
      toast.success(t("form.saved"), form.name.trim());
    }
  };
  const refuse = (error: unknown): boolean => {
    if (!(error instanceof ApiError)) throw error;
    const field = fieldOf(error.field);
    setHasAddressError(error.code === "address_refused");
    if (field !== undefined) setErrors({ [field]: error.message });
    else if (error.status === 0) toast.error(new ApiError(t("form.submitFailedHint"), error), t("form.submitFailed"));
    else toast.error(error, t("form.notSaved"));
    return false;
  };
  const isSure = async (): Promise<boolean> => {
    const asks = asksForVersion(form, provider) && form.base_url !== before.base_url;
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
  /** Asks where a field that is about to be saved was changed by somebody else since the form was opened. */
  const mayReplace = async (): Promise<boolean> => {
    if (channel === undefined) return true;
    const theirs = formOf(await call(getChannel, { params: { id: channel.id } }));
    const names = clashesOf(before, form, theirs).map((name) => t(`names.${name}`));
    return (
      names.length === 0 ||
      confirm({
        title: t("clash.title"),
        text: t("clash.text", { names: names.join(t("form.comma")) }),
        action: t("clash.action"),
        keep: t("clash.keep"),
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
      if (!(await mayReplace())) return true;
    } catch (error) {
      // Nothing was sent yet.
      toast.error(error, t("form.notSaved"));
      return false;
    }
    try {
      await send();
    } catch (error) {
      return refuse(error);
    }
    await refresh();
    onSaved();
    return true;
  };
  return { save, hasAddressError };
}
