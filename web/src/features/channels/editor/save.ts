/** Saves the channel form: asks about /v1 and about models that callers would lose, sends what changed, and shows refusals at their fields. */
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import {
  type ChannelRow,
  createChannel,
  getChannel,
  updateChannel,
} from "../../../../../contract/src/features/channels.ts";
import { ApiError, call } from "../../../lib/api.ts";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { useManagedQuestion, useMark } from "../../../ui/managed.tsx";
import { withStepUp } from "../../../ui/feedback/step-up.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { asksForVersion, type ChannelForm, changedNames, clashesOf, formOf, updateOf, wireOf } from "../model/form.ts";
import { maySave } from "../impact.ts";
import { useRefreshChannels } from "../mutations.ts";

interface Saving {
  channel: ChannelRow | undefined;
  before: ChannelForm;
  form: ChannelForm;
  provider: ProviderRow | undefined;
  /** Shows a refusal at the field that it names; false where it names none. */
  refuseField: (error: unknown) => boolean;
  onSaved: () => void;
  /** Beside `onSaved`, with the ids of new channels. */
  onCreated: (ids: readonly number[]) => void;
}

/** Fields that decide which calls go to the channel. */
const ROUTING_FIELDS = ["models", "groups", "type", "priority", "weight"] as const;

/**
 * Asks for confirmation if the changes take the last channel of a model from callers. Gives what else they change for calls, "" for
 * nothing, and undefined where the person keeps editing. Throws ApiError.
 */
async function mayTakeOut({ channel, before, form }: Pick<Saving, "channel" | "before" | "form">) {
  if (channel === undefined) return { text: "" };
  const changed = updateOf(channel.id, before, form);
  const sent = ROUTING_FIELDS.flatMap((name) => (changed[name] === undefined ? [] : [[name, changed[name]]]));
  if (sent.length === 0) return { text: "" };
  return maySave({ act: "edit_channels", ids: [channel.id], ...Object.fromEntries(sent) });
}

/** Asks where a new address leaves out the version of the API that this provider needs. */
async function isSureOfVersion(
  { form, before, provider }: Pick<Saving, "form" | "before" | "provider">,
  t: ReturnType<typeof useTranslation>["t"],
): Promise<boolean> {
  if (!asksForVersion(form, provider) || form.base_url === before.base_url) return true;
  return confirm({
    title: t("version.title"),
    text: t("version.text"),
    action: t("version.action"),
    keep: t("version.keep"),
    tone: "plain",
  });
}

/** `save` resolves false where a field was refused; `hasAddressError` while the address is what was refused. */
export function useSaveChannel({ channel, before, form, provider, refuseField, onSaved, onCreated }: Saving): {
  save: () => Promise<boolean>;
  hasAddressError: boolean;
} {
  const { t } = useTranslation("channels");
  const refresh = useRefreshChannels();
  const [hasAddressError, setHasAddressError] = useState(false);
  const mark = useMark("channel", channel?.id);
  const mayChange = useManagedQuestion();

  /** @returns false where the person gave up confirming who they are. */
  const send = async (revision: number | undefined, text: string): Promise<boolean> => {
    if (channel === undefined) {
      // What comes next stands on the page.
      onCreated(await call(createChannel, { body: wireOf(form) }));
    } else {
      const body = { ...updateOf(channel.id, before, form), ...(revision === undefined ? {} : { revision }) };
      if ((await withStepUp(() => call(updateChannel, { body }))) === undefined) return false;
      toast.success(t("form.saved"), text === "" ? form.name.trim() : text);
    }
    return true;
  };
  const refuse = (error: unknown): boolean => {
    if (!(error instanceof ApiError)) throw error;
    setHasAddressError(error.code === "address_refused");
    if (refuseField(error)) return false;
    if (error.status === 0) toast.error(new ApiError(t("form.submitFailedHint"), error), t("form.submitFailed"));
    else toast.error(error, t("form.notSaved"));
    return false;
  };
  /**
   * Asks where a field that is about to be saved was changed by another user since the form was opened. Gives the revision upon which may
   * be saved; false where the person keeps theirs.
   */
  const mayReplace = async (): Promise<number | undefined | false> => {
    if (channel === undefined) return undefined;
    const now = await call(getChannel, { params: { id: channel.id } });
    const theirs = formOf(now);
    const names = clashesOf(before, form, theirs).map((name) => t(`channel-editor:names.${name}`));
    const isSaved =
      names.length === 0 ||
      (await confirm({
        title: t("clash.title"),
        text: t("clash.text", { names: names.join(t("form.comma")) }),
        action: t("clash.action"),
        keep: t("clash.keep"),
      }));
    return isSaved ? now.revision : false;
  };
  const save = async (): Promise<boolean> => {
    if (channel !== undefined && changedNames(before, form).length === 0) {
      toast.info(t("form.unchanged"));
      return true;
    }
    if (!(await mayChange([mark])) || !(await isSureOfVersion({ form, before, provider }, t))) return true;
    let [revision, text]: [number | undefined, string] = [undefined, ""];
    try {
      const asked = await mayReplace();
      const taken = asked === false ? undefined : await mayTakeOut({ channel, before, form });
      if (asked === false || taken === undefined) return true;
      [revision, text] = [asked, taken.text];
    } catch (error) {
      // Nothing was sent yet.
      toast.error(error, t("form.notSaved"));
      return false;
    }
    try {
      if (!(await send(revision, text))) return true;
    } catch (error) {
      return refuse(error);
    }
    await refresh();
    onSaved();
    return true;
  };
  return { save, hasAddressError };
}
