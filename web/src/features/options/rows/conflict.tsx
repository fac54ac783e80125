/** Shown at an option that another user changed meanwhile: both values, and the choice between them. */
import { Button } from "@mantine/core";
import { IconGitMerge } from "@tabler/icons-react";
import type { OptionRow as StoredOption } from "../../../../../contract/src/features/options.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { Time } from "../../../ui/display/time.tsx";
import type { OptionField } from "../draft/settings.ts";
import styles from "./rows.module.css";
import { useValueText } from "./value-text.ts";

/** Whole values where they are too long for a sentence. */
function Values({ field, theirs }: { field: OptionField; theirs: StoredOption }) {
  const { t } = useTranslation("options");
  const valueText = useValueText();
  const { description, text } = field;
  if (description.is_secret) return null;
  const sides = [
    { name: t("conflict.theirs"), value: theirs.value },
    { name: t("conflict.yours"), value: text },
  ];
  const isLong = sides.some(({ value }) => value.includes("\n"));
  return (
    <dl className={styles.sides} data-is-long={isLong || undefined}>
      {sides.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{isLong ? <pre tabIndex={0}>{value}</pre> : valueText(description, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Says that another user stored another value meanwhile, and asks which of both is meant. */
export function Conflict({ field, theirs }: { field: OptionField; theirs: StoredOption }) {
  const { t } = useTranslation("options");
  const user = theirs.updated_by === "" ? t("conflict.somebody") : theirs.updated_by;
  return (
    <div className={styles.conflict} role="alert">
      <p className={styles.sentence}>
        <IconGitMerge size={15} stroke={1.5} aria-hidden />
        <span>
          {t(field.description.is_secret ? "conflict.secret" : "conflict.changed", { user })}
          {theirs.updated_time > 0 && (
            <>
              {" · "}
              <Time atS={theirs.updated_time} />
            </>
          )}
        </span>
      </p>
      <Values field={field} theirs={theirs} />
      <div className={styles.actions}>
        <Button size="xs" onClick={field.keepMine}>
          {t("conflict.keepMine")}
        </Button>
        <Button size="xs" onClick={field.revert}>
          {t("conflict.takeTheirs")}
        </Button>
      </div>
    </div>
  );
}
