/** The drawer that connects an application: address, key and model, ready code for each client, and a real test call. */
import { ActionIcon, Button, Tabs, Tooltip } from "@mantine/core";
import { IconEye, IconEyeOff, IconLock, IconArrowUpRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { serverAddress, useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { ChoiceSelect } from "../../ui/form/choice-select.tsx";
import { CodeBlock } from "../../ui/display/code-block.tsx";
import { type Connection, operationOf, type Snippet, snippetsFor } from "../../ui/display/connect-snippets.ts";
import { CopyButton } from "../../ui/display/copy.tsx";
import { ErrorState } from "../../ui/feedback/empty.tsx";
import { SideDrawer } from "../../ui/form/form-drawer.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { TokenStatus } from "./columns.tsx";
import styles from "./connect-drawer.module.css";
import { LoadingDrawer } from "./loading-drawer.tsx";
import { TestCall } from "./connect-test.tsx";
import { fullKey, maskedKey, shortKey } from "./model/key.ts";
import { callableModels } from "./model/model-prices.ts";
import { pricingQuery, tokenQuery } from "./queries.ts";
import { chatLinks, offeredLinks } from "../../lib/chat-links.ts";
import { openChatWith } from "./acts.tsx";

/** Cherry Studio adds /v1 and the path itself. */
function CherryStudio({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const address = serverAddress();
  return (
    <section>
      <h3 className={styles.appTitle}>Cherry Studio</h3>
      <p className={styles.words}>{t("chat.cherry")}</p>
      <dl className={styles.info}>
        <div className={styles.infoRow}>
          <dt>{t("chat.apiHost")}</dt>
          <dd>
            <span className={`mono ${styles.factValue}`}>{address}</span>
            <CopyButton text={address} label={t("chat.copyApiHost")} />
          </dd>
        </div>
        <div className={styles.infoRow}>
          <dt>{t("connectDrawer.key")}</dt>
          <dd>
            <span className={`mono ${styles.factValue}`}>{shortKey(token.key)}</span>
            <CopyButton text={fullKey(token.key)} label={t("copyKey")} />
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** How chat applications are connected: what to type into Cherry Studio, and the site's saved links. */
function ChatApps({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const links = offeredLinks(chatLinks(useStatus().chats));
  const isEnabled = token.status === TOKEN_STATUS.enabled;
  return (
    <>
      {links.length > 0 && (
        <section>
          <h3 className={styles.appTitle}>{t("chat.oneClick")}</h3>
          <p className={styles.words}>{t("chat.oneClickWords")}</p>
          <div className={styles.apps}>
            {links.map(({ name, template }) => (
              <Button
                key={`${name} ${template}`}
                disabled={!isEnabled}
                rightSection={<IconArrowUpRight size={14} stroke={1.5} />}
                onClick={() => openChatWith(template, token, t)}
              >
                {name}
              </Button>
            ))}
          </div>
        </section>
      )}
      <CherryStudio token={token} />
    </>
  );
}

function KeyRow({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? IconEyeOff : IconEye;
  const label = t(isShown ? "connectDrawer.hideKey" : "connectDrawer.showKey");
  return (
    <div className={styles.infoRow}>
      <dt>{t("connectDrawer.key")}</dt>
      <dd>
        <span className={`mono ${styles.factValue} ${isShown ? styles.whole : ""}`}>
          {isShown ? fullKey(token.key) : maskedKey(token.key)}
        </span>
        <Tooltip label={label}>
          <ActionIcon
            variant="subtle"
            size={26}
            aria-label={label}
            aria-pressed={isShown}
            onClick={() => setIsShown(!isShown)}
          >
            <Icon size={15} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
        <CopyButton text={fullKey(token.key)} label={t("copyKey")} />
      </dd>
    </div>
  );
}

const modelContent = (model: string) => (
  <>
    <ModelMark model={model} size={20} />
    <span className="mono">{model}</span>
  </>
);

function ConnectionInfo({
  token,
  baseUrl,
  models,
  model,
  onModel,
}: {
  token: TokenRow;
  baseUrl: string;
  models: readonly string[];
  model: string;
  onModel: (model: string) => void;
}) {
  const { t } = useTranslation("tokens");
  return (
    <dl className={styles.info}>
      <div className={styles.infoRow}>
        <dt>{t("connectDrawer.baseUrl")}</dt>
        <dd>
          <span className={`mono ${styles.factValue}`}>{baseUrl}</span>
          <CopyButton text={baseUrl} label={t("connectDrawer.copyBaseUrl")} />
        </dd>
      </div>
      <KeyRow token={token} />
      <div className={styles.infoRow}>
        <dt>{t("connectDrawer.model")}</dt>
        <dd>
          {model === "" ? (
            <span className={styles.noModel}>{t("connectDrawer.noModels")}</span>
          ) : (
            <>
              <span className={styles.factValue}>
                <ChoiceSelect
                  isBare
                  label={t("connectDrawer.model")}
                  choices={models.map((name) => ({ value: name, text: name, content: modelContent(name) }))}
                  value={model}
                  onChange={onModel}
                />
              </span>
              <CopyButton text={model} label={t("connectDrawer.copyModel")} />
            </>
          )}
        </dd>
      </div>
    </dl>
  );
}

/** A snippet as drawn (key shortened) and as copied (whole). */
function SnippetPanel({
  snippet,
  connection,
  shownKey,
}: {
  snippet: Snippet;
  connection: Connection;
  shownKey: string;
}) {
  const { t } = useTranslation("tokens");
  return (
    <>
      <p className={styles.words}>{t(`connectDrawer.words.${snippet.id}`)}</p>
      {snippet.install !== "" && <CodeBlock title={t("connectDrawer.once")} language="shell" code={snippet.install} />}
      {snippet.parts.map(({ id, language, code }) => (
        <CodeBlock
          key={id}
          title={t(`connectDrawer.blocks.${id}`)}
          language={language}
          code={code(connection)}
          shown={code({ ...connection, key: shownKey })}
        />
      ))}
    </>
  );
}

const CHATS = "chats";

function Clients({ connection, token }: { connection: Connection; token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const snippets = snippetsFor(connection.operation);
  return (
    <Tabs key={connection.operation} defaultValue={snippets[0]?.id ?? CHATS} keepMounted={false}>
      <Tabs.List className={styles.tabs ?? ""}>
        {snippets.map(({ id }) => (
          <Tabs.Tab key={id} value={id}>
            {t(`connectDrawer.tabs.${id}`)}
          </Tabs.Tab>
        ))}
        <Tabs.Tab value={CHATS}>{t("connectDrawer.tabs.chats")}</Tabs.Tab>
      </Tabs.List>
      {snippets.map((snippet) => (
        <Tabs.Panel key={snippet.id} value={snippet.id} className={styles.panel ?? ""}>
          <SnippetPanel snippet={snippet} connection={connection} shownKey={shortKey(token.key)} />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value={CHATS} className={styles.panel ?? ""}>
        <ChatApps token={token} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** The model shown first: one that chats, where there is one. */
const firstModel = (models: readonly string[]): string =>
  models.find((model) => operationOf(model) === "chat") ?? models[0] ?? "";

function Connect({ token, models }: { token: TokenRow; models: readonly string[] }) {
  const { t } = useTranslation("tokens");
  useStatus();
  const [picked, setPicked] = useState<string>();
  const model = picked ?? firstModel(models);
  const baseUrl = `${serverAddress()}/v1`;
  return (
    <div className={styles.connect}>
      {token.status !== TOKEN_STATUS.enabled && <Notice tone="amber">{t(`connectDrawer.off.${token.status}`)}</Notice>}
      <ConnectionInfo token={token} baseUrl={baseUrl} models={models} model={model} onModel={setPicked} />
      {model !== "" && (
        <Clients
          connection={{ baseUrl, key: fullKey(token.key), model, operation: operationOf(model) }}
          token={token}
        />
      )}
      {model !== "" && <TestCall key={model} token={token} model={model} />}
    </div>
  );
}

/** Connects an application with the token `id`. */
export function ConnectDrawer({ id, onClose, onEdit }: { id: number; onClose: () => void; onEdit: () => void }) {
  const { t } = useTranslation("tokens");
  const viewer = useViewer();
  const token = useQuery(tokenQuery(id));
  const pricing = useQuery(pricingQuery);
  const error = token.error ?? pricing.error;
  const group = token.data?.group || viewer?.group || "default";
  if (!error && (token.data === undefined || pricing.data === undefined))
    return <LoadingDrawer title={t("connect")} onClose={onClose} />;
  return (
    <SideDrawer
      isOpen
      onClose={onClose}
      title={token.data === undefined ? t("connect") : t("connectDrawer.title", { name: token.data.name })}
      beside={token.data && token.data.status !== TOKEN_STATUS.enabled && <TokenStatus status={token.data.status} />}
      hint={
        <>
          <IconLock size={15} stroke={1.5} aria-hidden className={styles.lock} />
          {t("connectDrawer.hint")}
        </>
      }
      foot={
        <>
          <Button onClick={onEdit}>{t("edit")}</Button>
          <Button variant="filled" onClick={onClose}>
            {t("connectDrawer.done")}
          </Button>
        </>
      }
    >
      {token.data === undefined || pricing.data === undefined ? (
        <ErrorState
          title={t("notLoadedOne")}
          error={error}
          onRetry={() => void Promise.all([token.refetch(), pricing.refetch()])}
        />
      ) : (
        <Connect token={token.data} models={callableModels(token.data, pricing.data, group)} />
      )}
    </SideDrawer>
  );
}
