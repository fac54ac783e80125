/** The open conversation as a program: choose the API and the language, copy, insert a token. */
import { useState } from "react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import { readStoredJson, STORAGE } from "../../../lib/storage.ts";
import { serverAddress } from "../../../lib/status.ts";
import { CodeBlock } from "../../../ui/display/code-block.tsx";
import { Segmented } from "../../../ui/form/fields.tsx";
import { SideDrawer } from "../../../ui/form/form-drawer.tsx";
import { COLOURS, type Dialect, DIALECTS, INSTALL, LANGUAGES, programOf, type ProgramLanguage } from "./programs.ts";
import type { Sample } from "./sample.ts";
import { parametersOf } from "../model/parameters.ts";
import { apiMessages } from "../model/request.ts";
import { toolsOf } from "../model/tools.ts";
import type { Chat } from "../use-chat.ts";
import styles from "./code-drawer.module.css";

/** Stands where the token goes. */
const KEY = "sk-YOUR-TOKEN";
/** The data of a picture is too long to read: shown short, copied whole. */
const LONG_DATA = /[A-Za-z0-9+/]{200,}={0,2}/g;
const SHOWN_DATA = 24;

function sampleOf({ current, offer }: Chat): Sample {
  const [lane] = current.lanes;
  const { model } = lane === undefined ? { model: "" } : offer.choiceOf(lane);
  const tools = toolsOf(current.tools);
  return {
    root: serverAddress(),
    key: KEY,
    model,
    system: current.system.trim(),
    messages: apiMessages("", lane?.messages ?? []),
    tools: typeof tools === "string" ? [] : tools,
    ...parametersOf(readStoredJson(STORAGE.playgroundParameters), model),
  };
}

export function CodeDrawer({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const { t } = useTranslation("playground");
  const [dialect, setDialect] = useState<Dialect>("chat");
  const [language, setLanguage] = useState<ProgramLanguage>("curl");
  const code = programOf(dialect, language, sampleOf(chat));
  const install = INSTALL[dialect][language];
  return (
    <SideDrawer isOpen onClose={onClose} title={t("code.title")}>
      <div className={styles.body}>
        <p className={styles.text}>
          {t("code.text", { key: KEY })} <Link to="/token">{t("code.tokens")}</Link>
        </p>
        <Segmented
          label={t("code.dialect")}
          options={DIALECTS.map((value) => ({ value, text: t(`code.dialects.${value}`) }))}
          value={dialect}
          onChange={setDialect}
        />
        <Segmented
          label={t("code.language")}
          options={LANGUAGES.map((value) => ({ value, text: t(`code.languages.${value}`) }))}
          value={language}
          onChange={setLanguage}
        />
        {install !== "" && <CodeBlock title={t("code.install")} language="shell" code={install} />}
        <CodeBlock
          title={t(`code.languages.${language}`)}
          language={COLOURS[language]}
          code={code}
          shown={code.replaceAll(LONG_DATA, (data) => `${data.slice(0, SHOWN_DATA)}…`)}
        />
      </div>
    </SideDrawer>
  );
}
