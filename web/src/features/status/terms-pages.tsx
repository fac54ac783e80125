/** The pages of the user agreement and of the privacy policy: the operator's text, or that there is none and the way home. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { contentOf } from "../../ui/content/content-of.ts";
import { Empty, ErrorState } from "../../ui/feedback/empty.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import { type TermsName, termsQuery } from "./queries.ts";

const OperatorPage = lazy(async () => ({ default: (await import("../../ui/content/operator-page.tsx")).OperatorPage }));

function NoTerms({ name }: { name: TermsName }) {
  const { t } = useTranslation(["status", "shell"]);
  return (
    <Empty
      isPage
      title={t(`terms.${name}`)}
      sentence={t(`terms.none.${name}`)}
      actions={
        <Link to="/" {...buttonLook("filled")}>
          {t("shell:notFound.home")}
        </Link>
      }
    />
  );
}

function TermsPage({ name }: { name: TermsName }) {
  const { t } = useTranslation("status");
  const title = t(`terms.${name}`);
  usePageTitle(title);
  const query = useQuery(termsQuery(name));
  if (query.isPending) return null;
  if (query.error)
    return <ErrorState isPage title={t("terms.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />;
  const content = contentOf(query.data);
  if (content.kind === "none") return <NoTerms name={name} />;
  return (
    <Suspense fallback={null}>
      <OperatorPage content={content} title={title} />
    </Suspense>
  );
}

export const UserAgreementPage = () => <TermsPage name="agreement" />;
export const PrivacyPolicyPage = () => <TermsPage name="privacy" />;
