/** The set-up of one program: its install line, its file, its environment in each shell, the fields of its settings, or whole code. */
import { IconExternalLink } from "@tabler/icons-react";
import { useState } from "react";
import type { Connection, Program, Shell } from "../../../../../contract/src/connect/program.ts";
import { canUse } from "../../../../../contract/src/connect/programs.ts";
import { QUOTE, SET_VARIABLE } from "../../../../../contract/src/connect/quoting.ts";
import type { TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { Card } from "../../../ui/display/card.tsx";
import { CodeBlock } from "../../../ui/display/code-block.tsx";
import { CopyButton } from "../../../ui/display/copy.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { shortKey } from "../model/key.ts";
import styles from "./connect.module.css";
import { InstallLine } from "./install-line.tsx";
import { Links } from "./links.tsx";

const SHELLS: readonly Shell[] = ["bash", "fish", "powershell"];

/** The most likely shell of this machine. */
const likelyShell = (): Shell => (/windows/i.test(navigator.userAgent) ? "powershell" : "bash");

/** A connection as it is copied, and as it is drawn: with a shortened key. */
interface Both {
  copied: Connection;
  shown: Connection;
}

interface BlocksProps {
  program: Program;
  both: Both;
  shell: Shell;
}

function Files({ program, both, shell }: BlocksProps) {
  const { t } = useTranslation("connect");
  const { files = [] } = program;
  if (files.length === 0) return null;
  return (
    <>
      {files.map(({ paths, content }) => {
        const path = paths[shell === "powershell" ? "windows" : "unix"];
        return (
          <CodeBlock
            key={path}
            title={t("setUp.file", { path })}
            language={path.endsWith(".json") ? "json" : "shell"}
            code={content(both.copied)}
            shown={content(both.shown)}
          />
        );
      })}
      <p className={styles.words}>{t("setUp.merge")}</p>
    </>
  );
}

/** Sets the variables and starts the program, as text for this shell. */
function environmentCode({ environment, run }: Program, connection: Connection, shell: Shell): string {
  const lines = (environment?.(connection) ?? []).map(([name, value]) => SET_VARIABLE[shell](name, value));
  const start = run?.(connection, QUOTE[shell]);
  return [...lines, ...(start === undefined ? [] : [start])].join("\n");
}

function Environment({ program, both, shell }: BlocksProps) {
  const { t } = useTranslation("connect");
  if (program.environment === undefined && program.run === undefined) return null;
  const needsBoth = program.isEnvironmentEnough !== true;
  const title = program.environment === undefined ? "start" : needsBoth ? "environment" : "instead";
  return (
    <CodeBlock
      title={t(`setUp.${title}`)}
      language="shell"
      code={environmentCode(program, both.copied, shell)}
      shown={environmentCode(program, both.shown, shell)}
    />
  );
}

function Fields({ program, both }: Pick<BlocksProps, "program" | "both">) {
  const { t } = useTranslation("connect");
  if (program.fields === undefined) return null;
  return (
    <section>
      <p className={styles.words}>{t("setUp.fields")}</p>
      <dl className={`${styles.info} ${styles.fields}`}>
        {program.fields.map(({ name, value }) => (
          <div key={name} className={styles.infoRow}>
            <dt>{name}</dt>
            <dd>
              <span className={`mono ${styles.factValue}`}>{value(both.shown)}</span>
              <CopyButton text={value(both.copied)} label={t("setUp.copyField", { name })} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const needsShell = ({ files, environment, run }: Program): boolean =>
  files !== undefined || environment !== undefined || run !== undefined;

function Steps({ program, both, token }: { program: Program; both: Both; token: TokenRow }) {
  const { t } = useTranslation("connect");
  const [shell, setShell] = useState(likelyShell);
  const host = URL.parse(both.copied.origin)?.host ?? both.copied.origin;
  return (
    <>
      {program.needsPublicAddress && <Notice tone="blue">{t("setUp.private", { name: program.title, host })}</Notice>}
      {needsShell(program) && (
        <div className={styles.kind} role="group" aria-label={t("setUp.shell")}>
          {SHELLS.map((name) => (
            <button
              key={name}
              type="button"
              className={styles.program}
              aria-pressed={name === shell}
              onClick={() => setShell(name)}
            >
              {t(`shells.${name}`)}
            </button>
          ))}
        </div>
      )}
      {program.install !== undefined && <CodeBlock title={t("setUp.once")} language="shell" code={program.install} />}
      <Files program={program} both={both} shell={shell} />
      <Environment program={program} both={both} shell={shell} />
      <Fields program={program} both={both} />
      {program.codes?.map(({ id, title, language, code }) => (
        <CodeBlock key={id} title={title} language={language} code={code(both.copied)} shown={code(both.shown)} />
      ))}
      <Links program={program} connection={both.copied} token={token} />
      <InstallLine
        key={`${program.id} ${token.id}`}
        program={program}
        token={token}
        model={both.copied.model}
        shell={shell}
      />
      <p className={styles.hint}>{t("setUp.hint")}</p>
    </>
  );
}

export function SetUpCard({
  program,
  connection,
  token,
}: {
  program: Program;
  connection: Connection;
  token: TokenRow;
}) {
  const { t } = useTranslation("connect");
  const { title, page } = program;
  const both = { copied: connection, shown: { ...connection, key: shortKey(token.key) } };
  return (
    <Card
      title={t("setUp.title", { name: title })}
      action={
        <a href={page} target="_blank" rel="noreferrer" className={styles.page}>
          {t("setUp.page")}
          <IconExternalLink size={14} stroke={1.5} aria-hidden />
        </a>
      }
    >
      {canUse(program, connection.operation) ? (
        <Steps key={program.id} program={program} both={both} token={token} />
      ) : (
        <Notice tone="amber">{t("setUp.embeddings", { name: title, model: connection.model })}</Notice>
      )}
    </Card>
  );
}
