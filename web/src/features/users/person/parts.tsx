/** What the tabs of a person's page share: the states of a query, and the button that loads older rows. */
import type { ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { CardGhost } from "../../../ui/display/card.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import styles from "./person.module.css";

interface Loading<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** Draws what was loaded; until then its place, or why it could not be loaded. */
export function Loaded<Data>({ query, children }: { query: Loading<Data>; children: (data: Data) => ReactNode }) {
  const { t } = useTranslation("users");
  if (query.data !== undefined) return children(query.data);
  if (query.error)
    return <ErrorState title={t("person.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  return <CardGhost heightPx={120} />;
}

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Nothing where there are no older rows. */
export function Older({ query }: { query: Pages }) {
  const { t } = useTranslation("users");
  if (!query.hasNextPage) return null;
  return (
    <div className={styles.older}>
      <BusyButton isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {t("person.older")}
      </BusyButton>
    </div>
  );
}

/** In place of rows where there are none. */
export const Nothing = ({ children }: { children: ReactNode }) => <p className={styles.nothing}>{children}</p>;
