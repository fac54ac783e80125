/** The newest changes of one thing, with the values before each of them. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import type { AuditKind } from "../../../../contract/src/features/audit.ts";
import { visible } from "../../lib/names.ts";
import { CardGhost } from "../display/card.tsx";
import { Time } from "../display/time.tsx";
import { ErrorState } from "../feedback/empty.tsx";
import styles from "./audit.module.css";
import { Changes, useSentence } from "./changes.tsx";
import { auditQuery } from "./queries.ts";
import { RevertButton } from "./revert.tsx";

interface Thing {
  kind: AuditKind;
  /** Name of the option or model, number of the channel or user. */
  object: string;
}

/** Changes that a page of one thing lists; the rest is in the audit trail. */
const LISTED = 20;

/** The newest changes of one thing. The page's texts have to hold `audit`. */
export function AuditTrail({ kind, object }: Thing) {
  const { t } = useTranslation("audit");
  const query = useQuery(auditQuery({ kind, object, page: 1, size: LISTED }));
  const sentence = useSentence();
  if (query.data === undefined)
    return query.error ? (
      <ErrorState title={t("notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <CardGhost heightPx={120} />
    );
  const { items, total } = query.data;
  if (items.length === 0) return <span className={styles.faint}>{t("none")}</span>;
  return (
    <>
      <ol className={styles.trail}>
        {items.map((entry) => (
          <li key={entry.id}>
            <div className={styles.head}>
              <b>{sentence(entry)}</b>
              <span className={styles.faint}>
                {visible(entry.actor)} · <Time atS={entry.created_time} />
              </span>
            </div>
            <div className={styles.changes}>
              <Changes changes={entry.changes} />
              <div>
                <RevertButton entry={entry} />
              </div>
            </div>
          </li>
        ))}
      </ol>
      {total > LISTED && (
        <Link to="/audit" search={{ kind, object }}>
          {t("older")}
        </Link>
      )}
    </>
  );
}
