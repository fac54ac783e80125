/** The drawer's field for the parameter override: rules as rows, or the JSON text that is stored. */
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { FieldError, FieldLink } from "../../../ui/form/fields.tsx";
import { type FieldsProps, OVERRIDE_TEMPLATE } from "../model/form.ts";
import { parseOverride } from "../model/overrides.ts";
import styles from "./override.module.css";
import { JsonField } from "./json-field.tsx";
import { OverrideRules } from "./override-rules.tsx";

export function OverrideField({ form, set, errorOf }: FieldsProps) {
  const { t } = useTranslation(["channels", "channel-editor"]);
  const text = form.param_override;
  // While rows are typed their text may be unfinished: they stay until JSON is asked for.
  const [showsRules, setShowsRules] = useState(() => (parseOverride(text)?.operations.length ?? 0) > 0);
  const error = errorOf("param_override");
  const isReadable = parseOverride(text) !== undefined;
  const link = (
    <FieldLink isDisabled={!showsRules && !isReadable} onClick={() => setShowsRules(!showsRules)}>
      {t(showsRules ? "channel-editor:form.overrideAsJson" : "channel-editor:form.overrideAsRules")}
    </FieldLink>
  );
  const change = (param_override: string) => set({ param_override });
  if (showsRules)
    return (
      <fieldset className={styles.rules}>
        <legend className={styles.legend}>
          {t("channel-editor:form.override")} {link}
        </legend>
        <OverrideRules text={text} onChange={change} />
        <FieldError error={error} />
      </fieldset>
    );
  return (
    <div>
      <JsonField
        label={t("channel-editor:form.override")}
        isOptional
        value={text}
        onChange={change}
        template={OVERRIDE_TEMPLATE}
        help={t("channel-editor:form.overrideHelp")}
        error={typeof error === "string" ? error : undefined}
      />
      {link}
    </div>
  );
}
