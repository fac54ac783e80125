/** The details of an option: its name, default, last change and history. Loaded when it is opened. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import type { OptionDescription, OptionHistoryEntry } from "../../../../../contract/src/features/options.ts";
import { Copy } from "../../../ui/display/copy.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { describeError } from "../../../ui/feedback/describe-error.ts";
import { FieldLink } from "../../../ui/form/fields.tsx";
import type { OptionField } from "../draft/settings.ts";
import { historyQuery } from "../queries.ts";
import styles from "./details.module.css";
import { useValueText } from "./value-text.ts";

interface DetailsProps {
  field: OptionField;
  onClose: () => void;
}

function Default({ field, onClose }: DetailsProps) {
  const { t } = useTranslation("options");
  const valueText = useValueText();
  const { description, text } = field;
  if (description.is_secret) return null;
  const value = valueText(description, description.default);
  return (
    <>
      <dt>{t("details.default")}</dt>
      <dd>
        {text === description.default || field.isReadOnly ? (
          text === description.default ? (
            t("details.isDefault", { value })
          ) : (
            value
          )
        ) : (
          <>
            {value}{" "}
            <FieldLink
              onClick={() => {
                field.set(description.default);
                onClose();
              }}
            >
              {t("details.backToDefault")}
            </FieldLink>
          </>
        )}
      </dd>
    </>
  );
}

function LastChange({ field }: { field: OptionField }) {
  const { t } = useTranslation("options");
  const { updated_time: changedS, updated_by: user } = field.row;
  return (
    <>
      <dt>{t("details.changed")}</dt>
      <dd>
        {changedS === 0 ? (
          t("details.never")
        ) : (
          <>
            <Time atS={changedS} /> {user !== "" && t("details.changedBy", { user })}
          </>
        )}
      </dd>
    </>
  );
}

/** The act of an entry of the history. */
function useWhat(): (description: OptionDescription, entry: OptionHistoryEntry) => string {
  const { t } = useTranslation("options");
  const valueText = useValueText();
  return (description, { event, from, to }) => {
    if (event !== "option_changed") return t(`details.${event}`);
    if (from === undefined || to === undefined) return t("details.secretChanged");
    return t("details.from", { from: valueText(description, from), to: valueText(description, to) });
  };
}

function Entry({ entry, field, onClose }: DetailsProps & { entry: OptionHistoryEntry }) {
  const { t } = useTranslation("options");
  const what = useWhat();
  const { from, is_cut: isCut } = entry;
  const isUsable = !field.isReadOnly && from !== undefined && !isCut && from !== field.text;
  return (
    <li className={styles.entry}>
      <span className={styles.who}>
        {entry.username || t("details.somebody")} · <Time atS={entry.created_time} />
      </span>
      <span className={styles.what} title={from === undefined ? undefined : `${from} → ${entry.to}`}>
        {what(field.description, entry)}
      </span>
      {isUsable && (
        <button
          type="button"
          className={styles.use}
          title={t("details.useTitle")}
          onClick={() => {
            field.set(from);
            onClose();
          }}
        >
          {t("details.use")}
        </button>
      )}
    </li>
  );
}

function History({ field, onClose }: DetailsProps) {
  const { t } = useTranslation("options");
  const { data, error } = useQuery(historyQuery(field.description.key, field.row.revision));
  if (error !== null)
    return (
      <p className={styles.failed} role="alert">
        {t("details.historyFailed")}. {describeError(error).message}
      </p>
    );
  if (data === undefined) return <div className={styles.loading} />;
  if (data.length === 0) return <p className={styles.none}>{t("details.noHistory")}</p>;
  return (
    <ol className={styles.entries} tabIndex={0} aria-label={t("details.history")}>
      {data.map((entry, index) => (
        <Entry key={`${entry.created_time}-${index}`} entry={entry} field={field} onClose={onClose} />
      ))}
    </ol>
  );
}

export function Details({ field, onClose }: DetailsProps) {
  const { t } = useTranslation("options");
  const { key, needs_step_up: needsStepUp } = field.description;
  const isAsking = needsStepUp && !field.isReadOnly;
  return (
    <div className={styles.details}>
      <dl className={styles.facts}>
        <dt>{t("details.name")}</dt>
        <dd>
          <Copy text={key} label={key}>
            <span className="mono">{key}</span>
          </Copy>
        </dd>
        <Default field={field} onClose={onClose} />
        <LastChange field={field} />
      </dl>
      {isAsking && <p className={styles.none}>{t("details.stepUp")}</p>}
      <h3 className={styles.title}>{t("details.history")}</h3>
      <History field={field} onClose={onClose} />
      <Link className={styles.audit} to="/audit" search={{ kind: "option", object: key }}>
        {t("details.audit")}
      </Link>
    </div>
  );
}
