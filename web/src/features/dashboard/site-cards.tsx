/** Cards of the dashboard with what the operator publishes: announcements, API addresses with a speed test, and questions. Loaded where there is one. */
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { Announcement, ApiAddress, ApiAddressColor } from "../../../../contract/src/options/site-content.ts";
import { formatDurationMs } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { OperatorText } from "../../ui/content/operator-page.tsx";
import { CopyButton } from "../../ui/display/copy.tsx";
import { Tag, type TagTone } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import page from "./dashboard.module.css";
import { measureAddress } from "./model/address-speed.ts";
import styles from "./site-cards.module.css";

const KIND_TONES: Readonly<Record<Announcement["type"], TagTone>> = {
  default: "neutral",
  ongoing: "blue",
  success: "green",
  warning: "amber",
  error: "red",
};

/** The colour of the console that is nearest to each of the option's. */
const DOT_COLORS: Readonly<Record<ApiAddressColor, string>> = {
  blue: "--blue",
  green: "--green",
  cyan: "--chart-2",
  purple: "--chart-6",
  pink: "--chart-5",
  red: "--red",
  orange: "--orange",
  amber: "--amber",
  yellow: "--chart-3",
  lime: "--lime",
  "light-green": "--chart-7",
  teal: "--chart-4",
  "light-blue": "--chart-2",
  indigo: "--accent",
  violet: "--chart-1",
  grey: "--idle",
  slate: "--chart-10",
};

const Text = ({ text }: { text: string }) => <OperatorText content={{ kind: "markdown", text }} />;

function AnnouncementRow({ announcement }: { announcement: Announcement }) {
  const { t } = useTranslation("dashboard");
  const { content, publishDate, type, extra } = announcement;
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <Tag tone={KIND_TONES[type]}>{t(`site.kind.${type}`)}</Tag>
        <span className={styles.faint}>
          <Time atS={Date.parse(publishDate) / 1000} />
        </span>
      </div>
      <Text text={content} />
      {extra !== "" && <p className={styles.faint}>{extra}</p>}
    </li>
  );
}

type Speed = { state: "unknown" | "busy" | "unreached" } | { state: "measured"; ms: number };

function AddressRow({ address }: { address: ApiAddress }) {
  const { t } = useTranslation("dashboard");
  const [speed, setSpeed] = useState<Speed>({ state: "unknown" });
  const { url, route, description, color } = address;
  const measure = async () => {
    setSpeed({ state: "busy" });
    const ms = await measureAddress(url);
    setSpeed(ms === undefined ? { state: "unreached" } : { state: "measured", ms });
  };
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <span className={styles.dot} style={{ background: `var(${DOT_COLORS[color]})` }} aria-hidden />
        <b>{route}</b>
        <span className={styles.result} aria-live="polite">
          {speed.state === "measured" && <Tag tone="green">{formatDurationMs(speed.ms)}</Tag>}
          {speed.state === "unreached" && <Tag tone="red">{t("site.unreached")}</Tag>}
        </span>
        <BusyButton
          size="xs"
          isBusy={speed.state === "busy"}
          aria-label={t("site.testOf", { route })}
          onClick={() => void measure()}
        >
          {t("site.test")}
        </BusyButton>
      </div>
      <div className={styles.address}>
        <span className="mono">{url}</span>
        <CopyButton text={url} label={t("site.copyOf", { route })} />
      </div>
      <p className={styles.faint}>{description}</p>
    </li>
  );
}

function SiteCard({
  name,
  children,
}: {
  name: "announcements" | "addresses" | "questions";
  children: React.ReactNode;
}) {
  const { t } = useTranslation("dashboard");
  const id = `dashboard-${name}`;
  return (
    <section className={page.card} aria-labelledby={id}>
      <h2 className={page.cardTitle} id={id}>
        {t(`site.${name}`)}
      </h2>
      <div className={styles.frame} role="region" aria-labelledby={id} tabIndex={0}>
        <ul className={styles.list}>{children}</ul>
      </div>
    </section>
  );
}

export function SiteCards() {
  const { announcements, api_info: addresses, faq } = useStatus();
  return (
    <div className={styles.cards}>
      {announcements.length > 0 && (
        <SiteCard name="announcements">
          {announcements.map((announcement, index) => (
            <AnnouncementRow key={index} announcement={announcement} />
          ))}
        </SiteCard>
      )}
      {addresses.length > 0 && (
        <SiteCard name="addresses">
          {addresses.map((address) => (
            <AddressRow key={`${address.route} ${address.url}`} address={address} />
          ))}
        </SiteCard>
      )}
      {faq.length > 0 && (
        <SiteCard name="questions">
          {faq.map(({ question, answer }, index) => (
            <li className={styles.row} key={index}>
              <details>
                <summary className={styles.question}>{question}</summary>
                <Text text={answer} />
              </details>
            </li>
          ))}
        </SiteCard>
      )}
    </div>
  );
}
