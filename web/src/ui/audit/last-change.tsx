/** The line that says when one thing was changed last and by whom; it leads to the thing's changes. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AuditKind } from "../../../../contract/src/features/audit.ts";
import { formatWhen } from "../../lib/format.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { QUIET_LINK } from "../plain.tsx";
import { lastChangeQuery } from "./queries.ts";
import styles from "./last-change.module.css";

interface Props {
  kind: AuditKind;
  /** Number of the channel or user. */
  object: string;
}

/** Nothing where no change is known. */
export function LastChange({ kind, object }: Props) {
  const { t } = useTranslation();
  const last = useQuery(lastChangeQuery({ kind, object })).data;
  if (last === undefined || last === null) return null;
  return (
    <span className={styles.last}>
      <Link {...QUIET_LINK} to="/audit" search={{ kind, object }}>
        {t("changedBy", { when: formatWhen(last.created_time), actor: last.actor })}
      </Link>
    </span>
  );
}
