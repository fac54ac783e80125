/** Links that pass address and key to a program, of the table and of this site: followed only after the user has read the key's receiver. */
import { Button } from "@mantine/core";
import { IconArrowUpRight } from "@tabler/icons-react";
import type { Connection, Program } from "../../../../../contract/src/connect/program.ts";
import { TOKEN_STATUS, type TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { chatLinks, offeredLinks, receiverOf } from "../../../lib/chat-links.ts";
import { useTranslation } from "../../../lib/i18n.ts";
import { useStatus } from "../../../lib/status.ts";
import { Card } from "../../../ui/display/card.tsx";
import { askToHandOver, openChatWith } from "../hand-over.ts";
import styles from "./connect.module.css";

const mark = <IconArrowUpRight size={14} stroke={1.5} />;

/** The program's own links; nothing for one that has none. */
export function Links({ program, connection, token }: { program: Program; connection: Connection; token: TokenRow }) {
  const { t } = useTranslation("connect");
  if (program.links === undefined) return null;
  const open = async (link: string) => {
    if (await askToHandOver(receiverOf(link), token.name)) window.open(link, "_blank", "noopener");
  };
  return (
    <section>
      <h3 className={styles.appTitle}>{t("link.title")}</h3>
      <p className={styles.words}>{t("link.text")}</p>
      <div className={styles.apps}>
        {program.links.map(({ title, link }) => (
          <Button
            key={title}
            disabled={token.status !== TOKEN_STATUS.enabled}
            rightSection={mark}
            onClick={() => void open(link(connection))}
          >
            {t("link.open", { name: title === program.title ? title : `${program.title}: ${title}` })}
          </Button>
        ))}
      </div>
    </section>
  );
}

/** The site's saved links; nothing where it has none. */
export function SiteLinks({ token }: { token: TokenRow }) {
  const { t } = useTranslation(["connect", "tokens"]);
  const links = offeredLinks(chatLinks(useStatus().chats));
  if (links.length === 0) return null;
  return (
    <Card title={t("site.title")} text={t("site.text")}>
      <div className={styles.apps}>
        {links.map(({ name, template }) => (
          <Button
            key={`${name} ${template}`}
            disabled={token.status !== TOKEN_STATUS.enabled}
            rightSection={mark}
            onClick={() => void openChatWith(template, token, t)}
          >
            {name}
          </Button>
        ))}
      </div>
    </Card>
  );
}
