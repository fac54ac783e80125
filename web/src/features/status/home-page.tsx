/** The home page: the operator's own content where there is some, else a description of this site and its API address. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus, serverAddress } from "../../lib/status.ts";
import { usePageTitle } from "../../ui/page.tsx";
import { contentOf } from "../../ui/content/content-of.ts";
import { homeQuery, modelsQuery } from "./queries.ts";
import { formatNumber } from "../../lib/format.ts";
import { useViewer } from "../../lib/viewer.ts";
import { CodeBlock, CopyWord } from "../../ui/display/code-block.tsx";
import { MarkWithLanes } from "../../ui/display/mark.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import styles from "./home-page.module.css";
import type { CodeLanguage } from "../../ui/display/code-tokens.ts";

interface Snippet {
  id: "python" | "node" | "curl" | "env";
  language: CodeLanguage;
  code: (baseUrl: string, model: string) => string;
}

const quoted = (text: string): string => JSON.stringify(text);

/** How an SDK is pointed at this site, one way for each kind of client. Pure. */
const SNIPPETS: readonly Snippet[] = [
  {
    id: "python",
    language: "python",
    code: (baseUrl, model) =>
      [
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url=${quoted(baseUrl)}, api_key="sk-...")`,
        "answer = client.chat.completions.create(",
        `    model=${quoted(model)},`,
        '    messages=[{"role": "user", "content": "Say hello."}],',
        ")",
      ].join("\n"),
  },
  {
    id: "node",
    language: "javascript",
    code: (baseUrl, model) =>
      [
        'import OpenAI from "openai";',
        "",
        `const client = new OpenAI({ baseURL: ${quoted(baseUrl)}, apiKey: "sk-..." });`,
        "const answer = await client.chat.completions.create({",
        `  model: ${quoted(model)},`,
        '  messages: [{ role: "user", content: "Say hello." }],',
        "});",
      ].join("\n"),
  },
  {
    id: "curl",
    language: "shell",
    code: (baseUrl, model) =>
      [
        `curl ${baseUrl}/chat/completions \\`,
        '  -H "Authorization: Bearer sk-..." \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '{"model": ${quoted(model).replaceAll("'", "'\\''")},`,
        '       "messages": [{"role": "user", "content": "Say hello."}]}\'',
      ].join("\n"),
  },
  {
    id: "env",
    language: "shell",
    code: (baseUrl) => [`export OPENAI_BASE_URL=${quoted(baseUrl)}`, 'export OPENAI_API_KEY="sk-..."'].join("\n"),
  },
];

const SHOWN_MODELS = 12;
const EXAMPLE_MODEL = "gpt-4o-mini";

function Actions() {
  const { t } = useTranslation("status");
  const { docs_link } = useStatus();
  const viewer = useViewer();
  return (
    <div className={styles.actions}>
      <Link to={viewer === null ? "/login" : "/token"} {...buttonLook("filled", true)}>
        {t(viewer === null ? "logIn" : "openConsole")}
      </Link>
      <Link to="/pricing" {...buttonLook("outline", true)}>
        {t("seePrices")}
      </Link>
      {docs_link !== "" && (
        <a href={docs_link} target="_blank" rel="noopener noreferrer" {...buttonLook("ghost", true)}>
          {t("docs")}
        </a>
      )}
    </div>
  );
}

function Connect({ model }: { model: string }) {
  const { t } = useTranslation("status");
  const [id, setId] = useState(SNIPPETS[0]?.id);
  const base = `${serverAddress()}/v1`;
  const snippet = SNIPPETS.find((choice) => choice.id === id);
  return (
    <section className={styles.block} aria-labelledby="connect">
      <h2 id="connect">{t("connect.title")}</h2>
      <p>{t("connect.text")}</p>
      <div className={styles.address}>
        <span>{t("connect.address")}</span>
        <code>{base}</code>
        <CopyWord text={base} />
      </div>
      <div className={styles.tabs} role="group" aria-label={t("connect.clients")}>
        {SNIPPETS.map((choice) => (
          <button key={choice.id} type="button" aria-pressed={choice.id === id} onClick={() => setId(choice.id)}>
            {t(`connect.${choice.id}`)}
          </button>
        ))}
        <span className={styles.tabsEnd}>{snippet && <CopyWord text={snippet.code(base, model)} />}</span>
      </div>
      {snippet && (
        <div className={styles.code}>
          <CodeBlock code={snippet.code(base, model)} language={snippet.language} />
        </div>
      )}
    </section>
  );
}

function Models({ models }: { models: readonly string[] | undefined }) {
  const { t } = useTranslation("status");
  const rest = Math.max(0, (models?.length ?? 0) - SHOWN_MODELS);
  if (models?.length === 0) return null;
  return (
    <section className={`${styles.block} ${styles.modelsBlock}`} aria-labelledby="models">
      <h2 id="models">{t("models.title")}</h2>
      <ul className={styles.models}>
        {models?.slice(0, SHOWN_MODELS).map((model) => (
          <li key={model}>
            <ModelMark model={model} size={18} />
            <span className="mono">{model}</span>
          </li>
        ))}
        {models && (
          <li className={styles.all}>
            <Link to="/pricing">
              {rest > 0 ? t("models.more", { count: rest, formatted: formatNumber(rest) }) : t("models.prices")}
            </Link>
          </li>
        )}
      </ul>
    </section>
  );
}

/** The home page that needs no text of the operator: what this site is, its address, code that calls it, and its models. */
function Welcome() {
  const { t } = useTranslation("status");
  const { system_name } = useStatus();
  const models = useQuery(modelsQuery(useViewer()?.id));
  return (
    <div className={styles.place}>
      <MarkWithLanes />
      <h1 className={styles.title}>{system_name}</h1>
      <p className={styles.sentence}>{t("text")}</p>
      <Actions />
      <div className={styles.blocks}>
        <Connect model={models.data?.find((name) => name.startsWith("gpt")) ?? models.data?.[0] ?? EXAMPLE_MODEL} />
        <Models models={models.isError ? [] : models.data} />
      </div>
    </div>
  );
}

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
