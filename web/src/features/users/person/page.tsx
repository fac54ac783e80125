/** The page of one user: key facts, actions, and tabs with their usage, tokens, payments and ways to sign in. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ComponentType, lazy, Suspense, useState } from "react";
import { loadTexts, useTranslation } from "../../../lib/i18n.ts";
import type { Person } from "../../../../../contract/src/people.ts";
import type { Act } from "../../../../../contract/src/permissions.ts";
import { apart } from "../../../lib/names.ts";
import { useSearchState } from "../../../lib/search.ts";
import { mayOf, useMay, useViewer } from "../../../lib/viewer.ts";
import { LastChange } from "../../../ui/audit/last-change.tsx";
import { RowMenu } from "../../../ui/data-table/row-actions.tsx";
import { CardGhost, Fact, Facts } from "../../../ui/display/card.tsx";
import { Name } from "../../../ui/display/name.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { Faint, Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { Page } from "../../../ui/page.tsx";
import { PageTabs } from "../../../ui/page-tabs.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import { useActItems } from "../acts.tsx";
import { UserRole, UserStatus } from "../columns.tsx";
import { canEdit } from "../model/person.ts";
import { PERSON_TABS, personSearch, type PersonTab } from "../route.ts";
import styles from "./person.module.css";
import { personQuery } from "./queries.ts";
import { UsageTab } from "./usage-tab.tsx";

const CreditDialog = lazy(async () => ({ default: (await import("./credit-dialog.tsx")).CreditDialog }));

const listTabs = () => import("./list-tabs.tsx");

const Moment = ({ atS, never }: { atS: number; never: string }) =>
  atS === 0 ? <Faint>{never}</Faint> : <Time atS={atS} />;

function Head({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const factor = person.has_totp || person.passkeys > 0;
  return (
    <div className={styles.head}>
      <Facts>
        <Fact name={t("columns.left")} isLarge>
          <Quota quota={person.quota} />
        </Fact>
        <Fact name={t("columns.used")}>
          <Quota quota={person.used_quota} />
        </Fact>
        <Fact name={t("columns.group")}>
          <Tag tone="outline">
            <Name text={person.group} />
          </Tag>
        </Fact>
        <Fact name={t("columns.role")}>
          <UserRole role={person.role} />
        </Fact>
        <Fact name={t("columns.status")}>
          <UserStatus user={person} />
        </Fact>
        <Fact name={t("columns.active")}>
          <Moment atS={person.last_active_time} never={t("person.never")} />
        </Fact>
        <Fact name={t("columns.factor")}>
          {factor ? <Tag tone="green">{t("factor.on")}</Tag> : <Tag tone="amber">{t("factor.off")}</Tag>}
        </Fact>
        <Fact name={t("columns.email")}>{person.email === "" ? <Faint>–</Faint> : <Name text={person.email} />}</Fact>
        <Fact name={t("columns.created")}>
          <Moment atS={person.created_time} never="–" />
        </Fact>
      </Facts>
    </div>
  );
}

/** Credit, edit, and the menu of what the list offers too. */
function Acts({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const navigate = useNavigate();
  const mayPay = useMay("money");
  const items = useActItems()(person);
  const [isCrediting, setIsCrediting] = useState(false);
  const edit = () => void navigate({ to: "/user/edit/$id", params: { id: String(person.id) } });
  return (
    <>
      {items.length > 0 && <RowMenu about={person.username} items={items} />}
      <Button onClick={edit}>{t("edit")}</Button>
      {mayPay && (
        <Button variant="filled" onClick={() => setIsCrediting(true)}>
          {t("person.credit.word")}
        </Button>
      )}
      <Suspense>{isCrediting && <CreditDialog person={person} onClose={() => setIsCrediting(false)} />}</Suspense>
    </>
  );
}

/** The permission that each tab needs. */
const ACTS: Readonly<Record<PersonTab, Act>> = {
  usage: "logs",
  calls: "logs",
  tokens: ["users", "money"],
  ledger: "money",
  orders: "money",
  security: "users",
  notes: "users",
};

/** Of another person; the super administrator has no notes about themselves. */
const OF_OTHERS: ReadonlySet<PersonTab> = new Set<PersonTab>(["notes"]);

/** The tabs that are shown. @param may whether the viewer is permitted an act @param isOwn whether it is the viewer's own page */
const tabsFor = (may: (act: Act) => boolean, isOwn: boolean): PersonTab[] =>
  PERSON_TABS.filter((tab) => may(ACTS[tab]) && !(isOwn && OF_OTHERS.has(tab)));

/** The first tab comes with the page, the others when they are opened. */
const TABS: Readonly<Record<PersonTab, ComponentType<{ person: Person; isOwn: boolean }>>> = {
  usage: UsageTab,
  calls: lazy(async () => ({ default: (await listTabs()).CallsTab })),
  tokens: lazy(async () => ({ default: (await listTabs()).TokensTab })),
  ledger: lazy(async () => ({ default: (await listTabs()).LedgerTab })),
  orders: lazy(async () => ({ default: (await listTabs()).OrdersTab })),
  security: lazy(async () => {
    const [part] = await Promise.all([import("./security-tab.tsx"), loadTexts("personal")]);
    return { default: part.SecurityTab };
  }),
  notes: lazy(async () => ({ default: (await import("./notes-tab.tsx")).NotesTab })),
};

/** When the person was changed last, and by whom. */
const Changed = ({ id }: { id: number }) => (
  <div className={styles.changed}>
    <LastChange kind="user" object={String(id)} />
  </div>
);

function PersonTabs({ person }: { person: Person }) {
  const { t } = useTranslation("users");
  const viewer = useViewer();
  const isOwn = viewer?.id === person.id;
  const tabs = tabsFor((act) => mayOf(viewer, act), isOwn);
  const [search, change] = useSearchState(personSearch);
  const open = tabs.find((tab) => tab === search.tab) ?? tabs[0];
  if (open === undefined) return null;
  const Tab = TABS[open];
  return (
    <>
      <div className={styles.tabs}>
        <PageTabs
          label={t("person.tabs")}
          tabs={tabs.map((name) => ({ name, text: t(`person.tab.${name}`) }))}
          open={open}
          onOpen={(tab) => change({ tab })}
        />
      </div>
      <div className={styles.body}>
        <Suspense>
          <Tab key={person.id} person={person} isOwn={isOwn} />
        </Suspense>
      </div>
    </>
  );
}

export function PersonPage() {
  const { t } = useTranslation("users");
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const query = useQuery(personQuery(Number(id)));
  const viewer = useViewer();
  const person = query.data;
  if (person === undefined)
    return (
      <Page title={t("person.title", { id })}>
        {query.error === null ? (
          <div className={styles.body}>
            <CardGhost heightPx={110} />
            <CardGhost heightPx={260} />
            <CardGhost heightPx={260} />
          </div>
        ) : (
          <ErrorState
            title={t("notLoadedOne")}
            error={query.error}
            onRetry={() => void query.refetch()}
            absent={{
              title: t("absent"),
              link: (
                <Link {...buttonLook()} to="/user">
                  {t("all")}
                </Link>
              ),
            }}
          />
        )}
      </Page>
    );
  return (
    <Page
      title={apart(person.username)}
      purpose={
        person.display_name === person.username ? `#${person.id}` : `${apart(person.display_name)} · #${person.id}`
      }
      actions={canEdit(viewer, person) && <Acts person={person} />}
    >
      <Head person={person} />
      <Changed id={person.id} />
      <PersonTabs person={person} />
    </Page>
  );
}
