/** The drawer's notes on a provider: the form of its keys, and advice for the operator. */
import { hasText, useTranslation } from "../../../lib/i18n.ts";
import { keyFormsText } from "../../../../../contract/src/channels/provider-rules.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { keyRulesOf } from "../model/provider.ts";

/** The forms of a provider's key with the names of their parts in the reader's language; blank where every text may be one. */
export function useKeyForms(provider: ProviderRow | undefined): string {
  const { t } = useTranslation("channels");
  const nameOf = (part: string) => (hasText(`channels:keyParts.${part}`) ? t(`keyParts.${part}`) : part);
  return keyFormsText(keyRulesOf(provider), nameOf);
}

/** A retired provider, and the notice of its manifest; nothing where there is neither. */
export function ProviderNotes({ provider }: { provider: ProviderRow | undefined }) {
  // Notices come with the drawer: the list, which is read far more often, has none.
  const { t } = useTranslation(["channels", "channel-keys"]);
  if (provider === undefined) return null;
  const { name, notice, is_retired: isRetired } = provider;
  return (
    <>
      {isRetired && <Notice tone="red">{t("form.retired", { provider: name })}</Notice>}
      {hasText(`channel-keys:notices.${notice}`) && <Notice tone="blue">{t(`channel-keys:notices.${notice}`)}</Notice>}
    </>
  );
}
