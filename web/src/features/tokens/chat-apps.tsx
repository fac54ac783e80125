/** How chat applications are connected: what to type into Cherry Studio, and the site's saved links. */
import { Button } from "@mantine/core";
import { IconArrowUpRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { chatLinks } from "../../lib/chat-links.ts";
import { serverAddress, useStatus } from "../../lib/status.ts";
import { CopyButton } from "../../ui/display/copy.tsx";
import { openChatWith } from "./acts.tsx";
import styles from "./connect-drawer.module.css";
import { fullKey, shortKey } from "./model/key.ts";

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

export function ChatApps({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const links = chatLinks(useStatus().chats);
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
