/** The about page: the operator's own text, else what runs here, how it charges and where to read on. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import styles from "./about-page.module.css";
import { contentOf } from "../../ui/content/content-of.ts";
import { aboutQuery } from "./queries.ts";

const OperatorPage = lazy(async () => ({ default: (await import("../../ui/content/operator-page.tsx")).OperatorPage }));

const POINTS = ["what", "money", "privacy"] as const;

function Default() {
  const { t } = useTranslation("status");
  const { system_name, version, docs_link } = useStatus();
  return (
    <article className={styles.page}>
      <h1>{t("about.title", { name: system_name })}</h1>
      <p className={styles.version}>
        {version === "" ? "Turnpike" : t("about.version", { version: version.replace(/^v/, "") })}
      </p>
      {POINTS.map((point) => (
        <section key={point}>
          <h2>{t(`about.${point}.title`)}</h2>
          <p>{t(`about.${point}.text`)}</p>
        </section>
      ))}
      <section>
        <h2>{t("about.more")}</h2>
        <ul>
          <li>
            <Link to="/pricing">{t("about.prices")}</Link>
          </li>
          <li>
            <a href="/api/docs">{t("about.api")}</a>
          </li>
          {docs_link !== "" && (
            <li>
              <a href={docs_link} target="_blank" rel="noopener noreferrer">
                {t("docs")}
              </a>
            </li>
          )}
        </ul>
      </section>
    </article>
  );
}

export function AboutPage() {
  const { t } = useTranslation("status");
  usePageTitle(t("about.name"));
  const query = useQuery(aboutQuery);
  if (query.isPending) return null;
  if (query.error)
    return <ErrorState isPage title={t("about.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  const content = contentOf(query.data);
  if (content.kind === "none") return <Default />;
  return (
    <Suspense fallback={null}>
      <OperatorPage content={content} title={t("about.name")} />
    </Suspense>
  );
}
