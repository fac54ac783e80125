/** The site's chat applications: one entry below the console's own, with a menu beside the bar or, on a phone, a list below it. */
import { Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArrowUpRight, IconChevronRight, IconMessages } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { type TFunction, useTranslation } from "../../lib/i18n.ts";
import {
  carriesKey,
  type ChatLink,
  isForFluentRead,
  offeredLinks,
  receiverOfTemplate,
  sendToFluentRead,
  usableChatLink,
} from "../../lib/chat-links.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { REDIRECT_MS, allowed, mayReceive, usableToken } from "../../features/chat/key-use.ts";
import { isWeb } from "../../features/chat/links.ts";
import styles from "./side-bar.module.css";

/** Result: `noToken` where none is usable, `wrongLink` where the configured link is invalid, `kept` where the viewer declined, `noExtension` where FluentRead is not there. */
type ChatOutcome = "opened" | "kept" | "noToken" | "wrongLink" | "noExtension";

function show(link: string, opened: Window | null): void {
  const target = opened ?? window.open("about:blank", "_blank");
  if (target === null) {
    location.assign(link);
    return;
  }
  target.opener = null;
  target.location.replace(link);
}

/**
 * Opens the link in a new window, after a question where it carries a key. Throws where the tokens cannot be fetched.
 * A receiver that was allowed before gets its window before the token is fetched: later the browser would take it for a pop-up.
 * Where a question is asked its button opens the window.
 */
async function openChat(template: string, t: TFunction): Promise<ChatOutcome> {
  const receiver = receiverOfTemplate(template);
  if (receiver === "") return "wrongLink";
  if (!carriesKey(template)) {
    show(usableChatLink(template, "") ?? "", null);
    return "opened";
  }
  const isKnown = !isForFluentRead(template) && allowed().some((allowance) => allowance.startsWith(`${receiver} `));
  const early = isKnown ? window.open("about:blank", "_blank") : null;
  const outcome = await openWithKey(template, receiver, early, t).catch((error: unknown) => {
    early?.close();
    throw error;
  });
  if (outcome !== "opened") early?.close();
  return outcome;
}

async function openWithKey(
  template: string,
  receiver: string,
  early: Window | null,
  t: TFunction,
): Promise<ChatOutcome> {
  const token = await usableToken();
  if (token === undefined) return "noToken";
  if (!(await mayReceive(receiver, token, t))) return "kept";
  if (isForFluentRead(template)) return sendToFluentRead(token.key, document) ? "opened" : "noExtension";
  const link = usableChatLink(template, token.key);
  if (link === undefined) return "wrongLink";
  show(link, early);
  return "opened";
}

/** Opens a chat application. Without a usable token, says so and goes to the tokens page after 1.5 s. */
function useOpenChat(): (template: string) => void {
  const { t } = useTranslation("shell");
  const navigate = useNavigate();
  return (template) => {
    openChat(template, t).then(
      (outcome) => {
        if (outcome === "wrongLink") toast.error(new Error(t("chat.wrong")));
        if (outcome === "noExtension") toast.error(new Error(t("chat.noExtension")));
        if (outcome !== "noToken") return;
        toast.error(new Error(t("chat.noToken")));
        setTimeout(() => void navigate({ to: "/token" }), REDIRECT_MS);
      },
      (error: unknown) => toast.error(error),
    );
  };
}

const Outward = () => <IconArrowUpRight size={13} stroke={1.5} className={styles.outward} aria-hidden />;

/** Those that a page can frame, with their places in the list. */
const framed = (links: readonly ChatLink[]): { name: string; place: number }[] =>
  links.flatMap(({ name, template }, place) => (isWeb(template) ? [{ name, place }] : []));

export function ChatMenu({ links, isCollapsed }: { links: readonly ChatLink[]; isCollapsed: boolean }) {
  const { t } = useTranslation("shell");
  const open = useOpenChat();
  return (
    <Menu position="right-end" trapFocus>
      <Menu.Target>
        <button
          type="button"
          className={styles.item}
          aria-label={isCollapsed ? t("chat.apps") : undefined}
          title={isCollapsed ? t("chat.apps") : undefined}
        >
          <IconMessages size={16} stroke={1.5} aria-hidden />
          <span className={styles.itemText}>{t("chat.apps")}</span>
          <IconChevronRight size={13} stroke={1.5} className={styles.outward} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {offeredLinks(links).map(({ name, template }) => (
          <Menu.Item
            key={`${name} ${template}`}
            aria-label={t("chat.open", { name })}
            rightSection={<Outward />}
            onClick={() => open(template)}
          >
            {name}
          </Menu.Item>
        ))}
        {links.some(({ template }) => isWeb(template)) && (
          <>
            <Menu.Divider />
            <Menu.Label>{t("chat.here")}</Menu.Label>
            {framed(links).map(({ name, place }) => (
              <Menu.Item
                key={place}
                renderRoot={(props) => <Link to="/chat/{-$id}" params={{ id: String(place) }} {...props} />}
                aria-label={t("chat.openHere", { name })}
              >
                {name}
              </Menu.Item>
            ))}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The same as a list, for the phone's drawer, which has no room for a menu beside it. */
export function ChatList({ links, onPick }: { links: readonly ChatLink[]; onPick: () => void }) {
  const { t } = useTranslation("shell");
  const open = useOpenChat();
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <>
      <button type="button" className={styles.item} aria-expanded={isOpen} onClick={toggle}>
        <IconMessages size={16} stroke={1.5} aria-hidden />
        <span className={styles.itemText}>{t("chat.apps")}</span>
        <IconChevronRight size={13} stroke={1.5} className={styles.turning} aria-hidden />
      </button>
      {isOpen && (
        <ul className={styles.nested}>
          {framed(links).map(({ name, place }) => (
            <li key={place}>
              <Link
                to="/chat/{-$id}"
                params={{ id: String(place) }}
                className={styles.item}
                aria-label={t("chat.openHere", { name })}
                onClick={onPick}
              >
                <span className={styles.itemText}>{name}</span>
              </Link>
            </li>
          ))}
          {offeredLinks(links).map(({ name, template }) => (
            <li key={`${name} ${template}`}>
              <button
                type="button"
                className={styles.item}
                aria-label={t("chat.open", { name })}
                onClick={() => {
                  onPick();
                  open(template);
                }}
              >
                <span className={styles.itemText}>{name}</span>
                <Outward />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
