/** The home page: the operator's own content where there is some, else what this site is and how to point a client at it. */
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useStatus } from "../../lib/status.ts";
import { usePageTitle } from "../../ui/page.tsx";
import { contentOf } from "../../ui/content/content-of.ts";
import { homeQuery } from "./queries.ts";
import { Welcome } from "./welcome.tsx";

const OperatorPage = lazy(async () => ({ default: (await import("../../ui/content/operator-page.tsx")).OperatorPage }));

export function HomePage() {
  usePageTitle("");
  const { system_name } = useStatus();
  const query = useQuery(homeQuery);
  if (query.isPending) return null;
  // Content that cannot be loaded is no reason to hide the site: the welcome stands in for it.
  const content = contentOf(query.data ?? "");
  if (content.kind === "none") return <Welcome />;
  return (
    <Suspense fallback={null}>
      <OperatorPage content={content} title={system_name} />
    </Suspense>
  );
}
