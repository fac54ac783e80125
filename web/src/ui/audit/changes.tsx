/** The fields of one change before and after; lists say what was added and what was removed. */
import { useTranslation } from "../../lib/i18n.ts";
import type { AuditChange, AuditEntry } from "../../../../contract/src/features/audit.ts";
import { readLogEvent } from "../../../../contract/src/logs/read-event.ts";
import { shownValues } from "../../lib/event-values.ts";
import { visible } from "../../lib/names.ts";
import styles from "./audit.module.css";

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** The act, as the log has it. */
export function useSentence(): (entry: AuditEntry) => string {
  const { t } = useTranslation(["logs", "audit"]);
  return ({ event, object_name }) => {
    const known = readLogEvent(parsed(event));
    return visible(known === undefined ? object_name : t(`logs:event.${known.code}`, shownValues(known)));
  };
}

/** Fields that are lists of names with commas between them. */
const LISTS: ReadonlySet<string> = new Set(["models", "group"]);

/** Entries of one comma-joined list that the other lacks. */
const beyond = (list: string, other: string): string => {
  const known = new Set(other.split(","));
  return list
    .split(",")
    .filter((name) => name !== "" && !known.has(name))
    .join(", ");
};

const JSON_START = /^[[{]/;

/** JSON with its lines, anything else as it is. */
function laidOut(text: string): string {
  const value = JSON_START.test(text) ? parsed(text) : undefined;
  return visible(value === undefined ? text : JSON.stringify(value, null, 2));
}

function Values({ change }: { change: AuditChange }) {
  const { t } = useTranslation("audit");
  const { field, from, to, is_cut } = change;
  if (from === undefined || to === undefined) return <span className={styles.faint}>{t("secret")}</span>;
  const isList = LISTS.has(field);
  const rows = isList
    ? ([
        ["removed", beyond(from, to)],
        ["added", beyond(to, from)],
      ] as const)
    : ([
        ["from", laidOut(from)],
        ["to", laidOut(to)],
      ] as const);
  return (
    <>
      <dl className={styles.values}>
        {rows
          .filter(([, text]) => !isList || text !== "")
          .map(([name, text], index) => (
            <div key={name} style={{ display: "contents" }}>
              <dt>{t(name)}</dt>
              <dd className={`mono ${name === "added" || name === "to" ? styles.to : styles.from}`} data-index={index}>
                {text === "" ? <span className={styles.faint}>{t("blank")}</span> : visible(text)}
              </dd>
            </div>
          ))}
      </dl>
      {is_cut && <span className={styles.faint}>{t("cut")}</span>}
    </>
  );
}

/** Every field of the change. */
export function Changes({ changes }: { changes: readonly AuditChange[] }) {
  const { t } = useTranslation("audit");
  if (changes.length === 0) return <span className={styles.faint}>{t("noFields")}</span>;
  return (
    <ul className={styles.changes}>
      {changes.map((change) => (
        <li key={change.field}>
          <span className={`mono ${styles.field}`}>{change.field}</span>
          <div>
            <Values change={change} />
          </div>
        </li>
      ))}
    </ul>
  );
}
