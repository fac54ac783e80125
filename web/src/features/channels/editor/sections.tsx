/** The sections of the channel's form, in the drawer and on the channel's page: provider, routing, costs and advanced fields. */
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { FormSection } from "../../../ui/form/form-drawer.tsx";
import { LockedFields } from "../../../ui/form/locked-fields.tsx";
import type { FieldErrors, FieldName, FieldsProps } from "../model/form.ts";
import { AdvancedFields } from "./advanced-fields.tsx";
import { CostFields } from "./cost-fields.tsx";
import { ProviderFields } from "./provider-fields.tsx";
import { RoutingFields } from "./routing-fields.tsx";

interface SectionsProps {
  fields: FieldsProps;
  channel: ChannelRow | undefined;
  providers: readonly ProviderRow[];
  onKeys: (channel: ChannelRow) => void;
  isLocked: boolean;
  /** Id of what says why they are locked. */
  reason: string;
  onErrors: (found: FieldErrors) => void;
  isRefused: (name: FieldName) => boolean;
  isAdvancedOpen: boolean | undefined;
  onAdvanced: (isOpen: boolean) => void;
}

/** The fields by their sections, all of them locked or none. */
export function Sections({ fields, channel, providers, onKeys, onErrors, ...more }: SectionsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  return (
    <LockedFields isLocked={more.isLocked} reason={more.reason}>
      <FormSection>
        <ProviderFields {...fields} providers={providers} channel={channel} onKeys={onKeys} />
      </FormSection>
      <FormSection title={t("form.routing")}>
        <RoutingFields {...fields} channel={channel} onErrors={onErrors} />
      </FormSection>
      <FormSection title={t("channel-editor:costs.title")}>
        <CostFields {...fields} />
      </FormSection>
      <FormSection>
        <AdvancedFields
          {...fields}
          isRefused={more.isRefused}
          isOpen={more.isAdvancedOpen}
          onToggle={more.onAdvanced}
        />
      </FormSection>
    </LockedFields>
  );
}
