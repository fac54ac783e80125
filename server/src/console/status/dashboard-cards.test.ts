/** The status publishes the newest announcements, the questions and the addresses while their switches are on, and nothing of them else. */
import { expect, test } from "vitest";
import { parseOptions } from "../../../../contract/src/options/options.ts";
import { dashboardCards } from "./dashboard-cards.ts";

const announcement = (day: number) => ({
  id: day,
  content: `Day ${day}`,
  publishDate: `2026-01-${String(day).padStart(2, "0")}T12:00:00Z`,
});
const CONTENT = {
  "console_setting.announcements": JSON.stringify(Array.from({ length: 25 }, (_, index) => announcement(index + 1))),
  "console_setting.faq": '[{"id": 1, "question": "A", "answer": "B"}]',
  "console_setting.api_info": '[{"url": "https://a.example", "route": "A", "description": "B", "color": "blue"}]',
};
const cardsWith = (rows: Record<string, string>) => dashboardCards(parseOptions(new Map(Object.entries(rows))));

test("the newest twenty announcements come first, whatever their order in the option", () => {
  const { announcements, faq, api_info } = cardsWith(CONTENT);
  expect(announcements.map(({ content }) => content)).toEqual(
    Array.from({ length: 20 }, (_, index) => `Day ${25 - index}`),
  );
  expect(announcements[0]).toEqual({
    content: "Day 25",
    publishDate: "2026-01-25T12:00:00Z",
    type: "default",
    extra: "",
  });
  expect(faq).toEqual([{ question: "A", answer: "B" }]);
  expect(api_info).toEqual([{ url: "https://a.example", route: "A", description: "B", color: "blue" }]);
});

test.each([
  ["console_setting.announcements_enabled", "announcements"],
  ["console_setting.faq_enabled", "faq"],
  ["console_setting.api_info_enabled", "api_info"],
] as const)("%s false publishes nothing of %s, and the others as before", (name, field) => {
  const off = cardsWith({ ...CONTENT, [name]: "false" });
  const on = cardsWith(CONTENT);
  expect(off).toEqual({ ...on, [field]: [], [`${field}_enabled`]: false });
});
