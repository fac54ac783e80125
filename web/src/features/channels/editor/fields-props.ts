/** What each part of the channel drawer's form is given: the form, how it changes, and what is wrong with it. */
import type { ReactNode } from "react";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import type { ChannelForm } from "../model/form.ts";

export interface FieldsProps {
  form: ChannelForm;
  set: (change: Partial<ChannelForm>) => void;
  /** The sentence of a field's error, in the reader's language. */
  errorOf: (name: keyof ChannelForm) => ReactNode;
  provider: ProviderRow | undefined;
}
