/** The part of the status object that the cards of the dashboard show: announcements, questions and API addresses, each while its switch is on. */
import type { z } from "zod";
import type { statusSchema } from "../../../../contract/src/features/status.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { newestAnnouncements } from "../../../../contract/src/options/site-content.ts";

type Cards = Pick<
  z.input<typeof statusSchema>,
  "announcements_enabled" | "announcements" | "faq_enabled" | "faq" | "api_info_enabled" | "api_info"
>;

/** Everybody may read them: a list that is turned off is empty. The numbers that other editors give to entries are left out. */
export function dashboardCards(options: OptionValues): Cards {
  const hasAnnouncements = options["console_setting.announcements_enabled"];
  const hasQuestions = options["console_setting.faq_enabled"];
  const hasAddresses = options["console_setting.api_info_enabled"];
  return {
    announcements_enabled: hasAnnouncements,
    announcements: hasAnnouncements ? newestAnnouncements(options["console_setting.announcements"]) : [],
    faq_enabled: hasQuestions,
    faq: hasQuestions ? options["console_setting.faq"].map(({ question, answer }) => ({ question, answer })) : [],
    api_info_enabled: hasAddresses,
    api_info: hasAddresses
      ? options["console_setting.api_info"].map(({ url, route, description, color }) => ({
          url,
          route,
          description,
          color,
        }))
      : [],
  };
}
