/** Tests of the list of users: found by id, name, display name and e-mail, wildcards match themselves, no credentials, roles kept. */
import { plantIdentity } from "../../../../tests/support/systems/identity-console.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { openTestConsole, type Caller, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";

interface Page {
  items: ManagedUser[];
  total: number;
  page: number;
  page_size: number;
}

describe.each(await engines())("users on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  let admin: Caller;
  let peer: Caller;
  let ada: Caller;
  let gone: Caller;
  let vip: Caller;

  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(100);
    admin = await site.person(10);
    peer = await site.person(10);
    ada = await site.person(1, { quota: 5000 });
    gone = await site.person(1);
    vip = await site.person(1, { group: "vip" });
    const set = (who: Caller, change: Record<string, unknown>) =>
      site.context.database.kysely.updateTable("users").set(change).where("id", "=", who.userId).execute();
    await set(ada, {
      display_name: "Ada 100% Lovelace",
      email: "ada_l@example.org",
    });
    await set(peer, { email: "peer@example.net", password_hash: "secret-hash-p" });
    await plantIdentity(site.context.database.kysely, peer.userId, "github", "peer-on-github");
    await set(gone, { deleted_at: 1_700_000_000, status: 2 });
  });
  afterAll(() => site.close());

  const search = (query: string, caller = admin) => caller.data<Page>("GET", `/api/user/search?${query}`);
  const namesOf = ({ items }: Page) => items.map(({ username }) => username);

  it("lists everybody, newest first, in pages, with both forms of the address", async () => {
    const all = await admin.data<Page>("GET", "/api/user/?p=1&page_size=100");
    expect(namesOf(all)).toEqual([vip, gone, ada, peer, admin, root].map(({ username }) => username));
    expect(all).toMatchObject({ total: 6, page: 1, page_size: 100 });
    const second = await admin.data<Page>("GET", "/api/user?p=2&page_size=4");
    expect(namesOf(second)).toEqual([admin.username, root.username]);
    expect(second).toMatchObject({ total: 6, page: 2, page_size: 4 });
    expect(all.items.find(({ id }) => id === gone.userId)?.DeletedAt).toBe("2023-11-14T22:13:20.000Z");
    expect(all.items.find(({ id }) => id === ada.userId)).toMatchObject({
      quota: 5000,
      DeletedAt: null,
      group: "default",
    });
  });

  it("finds by id, user name, display name and e-mail, capitals or not", async () => {
    const found = { total: 1, items: [{ id: ada.userId }] };
    expect(await search(`keyword=${ada.username.toUpperCase()}`)).toMatchObject(found);
    expect(await search("keyword=lovelace")).toMatchObject(found);
    expect(await search("keyword=ADA_L@example")).toMatchObject(found);
    expect((await search(`keyword=${ada.userId}`)).items.map(({ id }) => id)).toContain(ada.userId);
    expect(await search("keyword=99999999999999999999")).toMatchObject({ total: 0, items: [] });
  });

  it("takes % and _ for what they are", async () => {
    expect(namesOf(await search("keyword=100%25"))).toEqual([ada.username]);
    expect(namesOf(await search("keyword=%25"))).toEqual([ada.username]);
    expect(namesOf(await search("keyword=_l%40"))).toEqual([ada.username]);
    expect(await search("keyword=100%25%25")).toMatchObject({ total: 0 });
    expect(await search("keyword=%21%25")).toMatchObject({ total: 0 });
  });

  it("keeps to a group where one is named", async () => {
    expect(namesOf(await search("group=vip"))).toEqual([vip.username]);
    expect(await search(`group=vip&keyword=${ada.username}`)).toMatchObject({ total: 0 });
    expect(await search("group=&keyword=null")).toMatchObject({ total: 6 });
    expect(await search("keyword=9999999999999999")).toMatchObject({ total: 0 });
  });

  it("gives nothing that logs in, and of closed accounts no address or binding, found or shown", async () => {
    const { text } = await root.call("GET", "/api/user?page_size=100");
    expect(text).not.toMatch(/secret-hash|access_token|password_hash|"setting"/);
    expect(text).toContain("peer@example.net");
    const ofPeer = (page: Page) => page.items.find(({ id }) => id === peer.userId);
    expect(ofPeer(await search("keyword="))).toMatchObject({ email: "", github_id: "" });
    expect(await search("keyword=peer%40example")).toMatchObject({ total: 0 });
    expect(await search("keyword=peer%40example", peer)).toMatchObject({
      total: 1,
      items: [{ github_id: "peer-on-github" }],
    });
    expect(await search("keyword=peer%40example", root)).toMatchObject({ total: 1 });
  });

  it("is closed to users and visitors", async () => {
    expect((await ada.call("GET", "/api/user/search?keyword=a")).body.success).toBe(false);
    expect((await ada.call("GET", "/api/user")).body.success).toBe(false);
    expect((await fetch(`${site.url}/api/user/`)).status).toBe(401);
  });
});
