/** The page that explains routing: where a call would go and why not elsewhere, now or as a past call's log row has it. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../lib/api.ts";
import { useSearchState } from "../../lib/search.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../ui/feedback/loading-bars.tsx";
import { Page } from "../../ui/page.tsx";
import { Explanation } from "./explanation.tsx";
import { PastCall } from "./past-call.tsx";
import { explanationQuery, pastQuery } from "./queries.ts";
import { QuestionForm } from "./question-form.tsx";
import styles from "./routing.module.css";
import { type RoutingSearch, routingSearch } from "./route.ts";

const FIELDS_OF: Readonly<Record<string, "user" | "token">> = { user: "user", token_id: "token" };

/** The field that a refusal is about; undefined for what concerns the whole question. */
const fieldOf = (error: unknown): "user" | "token" | undefined =>
  error instanceof ApiError && error.field !== undefined ? FIELDS_OF[error.field] : undefined;

const Loading = () => (
  <div className={styles.loading}>
    <LoadingBars height={44} />
  </div>
);

function Now({ search, onAsk }: { search: RoutingSearch; onAsk: (question: RoutingSearch) => void }) {
  const { t } = useTranslation("routing");
  const query = useQuery(explanationQuery(search));
  const field = fieldOf(query.error);
  const isUnknown = query.error instanceof ApiError && query.error.code === "not_found";
  const told = isUnknown ? t(`form.none.${field}`, { value: search[field ?? "user"] }) : query.error?.message;
  const again = (question: RoutingSearch) => {
    onAsk(question);
    // The same question at another moment.
    if (JSON.stringify(question) === JSON.stringify(search)) void query.refetch();
  };
  return (
    <>
      <QuestionForm
        search={search}
        onAsk={again}
        isAsking={query.isFetching}
        errors={field === undefined ? {} : { [field]: told }}
      />
      {search.model === undefined && <p className={styles.hint}>{t("hint")}</p>}
      {query.isLoading && <Loading />}
      {query.error !== null && field === undefined && (
        <ErrorState title={t("notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.error === null && query.data !== undefined && search.model !== undefined && (
        <Explanation explanation={query.data} />
      )}
    </>
  );
}

function Past({ requestId }: { requestId: string }) {
  const { t } = useTranslation("routing");
  const query = useQuery(pastQuery(requestId));
  if (query.error !== null) {
    const isGone = query.error instanceof ApiError && query.error.code === "not_found";
    return (
      <ErrorState
        title={t(isGone ? "past.gone" : "past.notLoaded")}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return query.data === undefined ? <Loading /> : <PastCall past={query.data} />;
}

export function RoutingPage() {
  const { t } = useTranslation("routing");
  const [search, change] = useSearchState(routingSearch);
  const { request } = search;
  const isPast = request !== undefined;
  return (
    <Page
      title={t(isPast ? "past.title" : "title")}
      purpose={t(isPast ? "past.purpose" : "purpose")}
      actions={
        <Button component={Link} to="/channel">
          {t("toChannels")}
        </Button>
      }
    >
      <div className={styles.content}>
        {isPast ? <Past requestId={request} /> : <Now search={search} onAsk={(question) => change(question)} />}
      </div>
    </Page>
  );
}
