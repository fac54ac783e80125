/** The groups in a real browser: ratios, who may choose, the automatic order by keys, what uses a group, and JSON; saved where they stand. */
import { expect, test } from "vitest";
import type { OptionRow } from "../../contract/src/features/options.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { openContext, openPage, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";
import { rootSite } from "../support/checks/root-site.ts";

const site = rootSite();

const kysely = () => site.server.app.foundation.database.kysely;
const set = (key: string, value: string) => dataOf(site.root.put("/api/option/", { key, value }));
const value = async (key: string) => {
  const rows = await dataOf<OptionRow[]>(site.root.get("/api/option/"));
  return JSON.parse(rows.find((row) => row.key === key)?.value ?? "null") as unknown;
};
const field = (name: string) => site.page.getByLabel(name, { exact: true });
const button = (name: string) => site.page.getByRole("button", { name, exact: true });

async function open(): Promise<void> {
  await site.page.goto(`${site.server.app.url}/setting?section=groups`);
  await button("Add group").waitFor();
  await site.tab.settled();
}
async function save(): Promise<void> {
  await button("Save groups").click();
  await site.page.getByText("Groups saved").waitFor();
}

test("one table changes four options, a free group is said to be free, and the identity is confirmed once", async () => {
  await kysely().updateTable("sessions").set({ confirmed_time: 1 }).execute();
  await open();
  await field("Ratio of vip").fill("0");
  await site.page.getByText("Free", { exact: true }).waitFor();
  await field("Everybody may choose svip").check();
  await field("Description of svip").fill("The best");
  await field("Top-up ratio of svip").fill("0.90");
  await field("vip in the automatic order").check();
  await field("svip in the automatic order").check();
  await field("Try svip earlier").focus();
  await site.page.keyboard.press("Enter");
  expect(await seriousFindings(site.page)).toEqual([]);
  await button("Save groups").click();
  await site.page.getByRole("dialog").getByRole("textbox", { name: "Password" }).fill(ROOT_PASSWORD);
  await site.page.keyboard.press("Enter");
  await site.page.getByText("Groups saved").waitFor();
  await expect.poll(() => value("GroupRatio")).toEqual({ default: 1, vip: 0, svip: 1 });
  await expect.poll(() => value("UserUsableGroups")).toMatchObject({ svip: "The best" });
  await expect.poll(() => value("AutoGroups")).toEqual(["default", "svip", "vip"]);
  await expect.poll(() => value("TopupGroupRatio")).toMatchObject({ svip: 0.9 });
});

test("a group is added, renamed and removed while nothing uses it; one in use says what does", async () => {
  await open();
  await button("Add group").click();
  await site.page.getByRole("dialog").getByLabel("Group").fill("vip");
  await button("Add").click();
  await site.page.getByText("There is a group of this name already").waitFor();
  await site.page.getByRole("dialog").getByLabel("Group").fill("gold");
  await button("Add").click();
  await field("Ratio of gold").fill("-1");
  await site.page.getByText("Enter a number, 0 or more").waitFor();
  await field("Ratio of gold").fill("0.75");
  await save();
  await expect.poll(() => value("GroupRatio")).toMatchObject({ gold: 0.75 });

  await button("Actions for gold").click();
  await site.page.getByRole("menuitem", { name: "Rename" }).click();
  await site.page.getByRole("dialog").getByLabel("Group").fill("platinum");
  await button("Rename").click();
  await save();
  await expect.poll(() => value("GroupRatio")).toMatchObject({ platinum: 0.75 });

  await button("Actions for default").click();
  await site.page.getByRole("menuitem", { name: "Rename" }).click();
  await site.page.getByText("in use by 1 user").waitFor();
  await button("Close").last().click();
  await button("Actions for default").click();
  await site.page.getByRole("menuitem", { name: "Delete" }).click();
  await site.page.getByText("It is in use by 1 user").waitFor();
  await button("Cancel").click();

  await button("Actions for platinum").click();
  await site.page.getByRole("menuitem", { name: "Delete" }).click();
  await button("Delete group").click();
  await save();
  await expect.poll(() => value("GroupRatio")).not.toHaveProperty("platinum");
});

testInAll("who is overtaken chooses, and the JSON of each option is there")(async () => {
  await open();
  await field("Ratio of svip").fill("3");
  await set("GroupRatio", '{"default": 1, "vip": 2, "svip": 1}');
  await button("Save groups").click();
  await site.page.getByText("root changed the groups after you began").waitFor();
  await expect.poll(() => value("GroupRatio")).toMatchObject({ svip: 1 });
  await button("Take theirs").click();
  await expect.poll(() => field("Ratio of vip").inputValue()).toBe("2");
  await site.page.getByRole("radio", { name: "JSON" }).click();
  await site.page.getByRole("textbox", { name: "Group ratios" }).fill('{"default": 1.5, "vip": -2}');
  await button("Save groups").click();
  await site.page.getByText("vip: The smallest value is 0 (line 1, column 25)").first().waitFor();
  await site.page.getByRole("textbox", { name: "Group ratios" }).fill('{"default": 1.5, "vip": 2, "svip": 1}');
  await site.page.getByRole("radio", { name: "Table" }).click();
  await expect.poll(() => field("Ratio of default").inputValue()).toBe("1.5");
  await save();
  await expect.poll(() => value("GroupRatio")).toEqual({ default: 1.5, vip: 2, svip: 1 });
});

testInAll("what is saved as JSON is what stands there, and nothing is left to save")(async () => {
  await open();
  await site.page.getByRole("radio", { name: "JSON" }).click();
  const ratios = site.page.getByRole("textbox", { name: "Group ratios" });
  await ratios.fill('{"default":1,"vip":4}');
  await site.page.getByRole("textbox", { name: "Top-up ratios" }).fill('{"default":1,"vip":0.5}');
  await save();
  await site.tab.settled();
  await expect.poll(() => ratios.innerText()).toBe('{"default":1,"vip":4}');
  expect(await button("Save groups").count()).toBe(0);
  await expect.poll(() => value("TopupGroupRatio")).toEqual({ default: 1, vip: 0.5 });
});

testInAll("a phone shows every group whole, in the dark and in Chinese")(async () => {
  const storageState = await site.context.storageState();
  const phone = await openContext(site.browser, { size: PHONE, language: "zh", theme: "dark" }, { storageState });
  const small = await openPage(phone);
  await small.page.goto(`${site.server.app.url}/setting?section=groups`);
  await small.page.getByRole("button", { name: "添加分组" }).waitFor();
  await small.settled();
  expect(await overflow(small.page)).toBe(0);
  expect(await seriousFindings(small.page)).toEqual([]);
  expect(small.complaints).toEqual([]);
  await phone.close();
});
