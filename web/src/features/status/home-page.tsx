/** The home page: the operator's own content where there is some, else what this site is and where to point a client. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { getHomePageContent } from "../../../../contract/src/features/status.ts";
import { call } from "../../lib/api.ts";
import { serverAddress, useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { MarkWithLanes } from "../../ui/mark.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { SafeHtml } from "../../ui/safe-html.tsx";
import styles from "./home-page.module.css";

/** Which base address each family of clients wants. */
const ADDRESSES = [
  { client: "openai", path: "/v1" },
  { client: "anthropic", path: "" },
  { client: "gemini", path: "" },
] as const;

function Addresses() {
  const { t } = useTranslation("status");
  const base = serverAddress();
  return (
    <ul className={styles.addresses}>
      {ADDRESSES.map(({ client, path }) => (
        <li key={client}>
          <span>{t(`clients.${client}`)}</span>
          <code>{`${base}${path}`}</code>
          <CopyButton text={`${base}${path}`} label={t("copyAddress", { client: t(`clients.${client}`) })} />
        </li>
      ))}
    </ul>
  );
}

function Welcome() {
  const { t } = useTranslation("status");
  const { system_name, docs_link } = useStatus();
  const viewer = useViewer();
  return (
    <div className={styles.place}>
      <MarkWithLanes />
      <h1 className={styles.title}>{t("title", { name: system_name })}</h1>
      <p className={styles.sentence}>{t("text")}</p>
      <div className={styles.actions}>
        <Button component={Link} to={viewer === null ? "/login" : "/token"} variant="filled" size="lg">
          {t(viewer === null ? "logIn" : "openConsole")}
        </Button>
        {docs_link !== "" && (
          <Button component="a" href={docs_link} target="_blank" rel="noopener noreferrer" size="lg">
            {t("docs")}
          </Button>
        )}
      </div>
      <Addresses />
    </div>
  );
}

export function HomePage() {
  usePageTitle("");
  const query = useQuery({ queryKey: ["home"], queryFn: ({ signal }) => call(getHomePageContent, { signal }), staleTime: 300_000, retry: 0 });
  if (query.isPending) return null;
  // Content that cannot be loaded is no reason to hide the site: the welcome stands in for it.
  const content = query.data ?? "";
  if (/^https:\/\/\S+$/.test(content)) return <iframe className={styles.frame} src={content} title={content} sandbox="allow-scripts allow-forms allow-popups allow-same-origin" />;
  return content === "" ? <Welcome /> : <SafeHtml className={styles.custom ?? ""} html={content} />;
}
