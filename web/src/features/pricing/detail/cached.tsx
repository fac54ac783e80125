/** How much of a model's prompts came from the caches of upstreams, by the program that called; of a user's own calls, and of everybody's for administrators. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "../../../lib/i18n.ts";
import { programOf } from "../../../../../contract/src/connect/programs.ts";
import type { ModelCache } from "../../../../../contract/src/features/pricing.ts";
import { formatDateTime, formatNumber, formatPercent } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Card, CardGhost, CardPlace, Fact, Facts, Row, Rows } from "../../../ui/display/card.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { cacheQuery } from "../queries.ts";
import styles from "./detail.module.css";

/** Height of the card while it is waited for. */
const WAITING_PX = 160;

type Client = ModelCache["clients"][number];

const shareOf = ({ prompt_tokens, cached_tokens }: Omit<Client, "client">): string =>
  prompt_tokens === 0 ? "–" : formatPercent(cached_tokens / prompt_tokens);

const counted = (count: number) => ({ count, formatted: formatNumber(count) });

function ClientRow({ row }: { row: Client }) {
  const { t } = useTranslation("pricing");
  const name = row.client === "" ? t("page.cache.other") : (programOf(row.client)?.title ?? visible(row.client));
  const words = [
    t("page.cache.calls", counted(row.calls)),
    t("page.cache.tokens", { cached: formatNumber(row.cached_tokens), prompt: formatNumber(row.prompt_tokens) }),
  ];
  return <Row name={name} value={words.join(" · ")} action={<b className={styles.cached}>{shareOf(row)}</b>} />;
}

function Clients({ cache }: { cache: ModelCache }) {
  const { t } = useTranslation("pricing");
  return (
    <>
      <Facts>
        <Fact name={t("page.cache.whole")} isLarge>
          {shareOf(cache)}
        </Fact>
      </Facts>
      <Rows>
        {cache.clients.map((row) => (
          <ClientRow key={row.client} row={row} />
        ))}
      </Rows>
    </>
  );
}

/** @param viewerId of the user, whose calls they are */
export function CacheCard({ viewerId, model }: { viewerId: number; model: string }) {
  const { t } = useTranslation("pricing");
  const { data, error, refetch } = useQuery(cacheQuery(viewerId, model));
  if (data === undefined && error !== null)
    return (
      <CardPlace heightPx={WAITING_PX}>
        <ErrorState title={t("page.cache.notLoaded")} error={error} onRetry={() => void refetch()} />
      </CardPlace>
    );
  if (data === undefined) return <CardGhost heightPx={WAITING_PX} />;
  // Of no calls there is neither a newest one nor a share.
  if (data.calls === 0)
    return <Card title={t("page.cache.title")} text={t("page.cache.none", { time: formatDateTime(data.since) })} />;
  const text = data.of_everybody ? "page.cache.ofEverybody" : "page.cache.ofOwn";
  return (
    <Card title={t("page.cache.title")} text={t(text, { ...counted(data.calls), time: formatDateTime(data.since) })}>
      <Clients cache={data} />
    </Card>
  );
}
