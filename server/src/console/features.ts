/** The handlers of every feature, for the mount loop. */
import { auditHandlers } from "./audit/routes.ts";
import { channelsHandlers } from "./channels/routes.ts";
import { configurationHandlers } from "./configuration/routes.ts";
import { dashboardHandlers } from "./dashboard/routes.ts";
import { factorsHandlers } from "./factors/routes.ts";
import { groupsHandlers } from "./groups/routes.ts";
import type { FeatureHandlers } from "./http/handlers.ts";
import { healthHandlers } from "./health/routes.ts";
import { identitiesHandlers } from "./identities/routes.ts";
import { logsHandlers } from "./logs/routes.ts";
import { notificationsHandlers } from "./notifications/routes.ts";
import { optionsHandlers } from "./options/routes.ts";
import { personalHandlers } from "./personal/routes.ts";
import { playgroundHandlers } from "./playground/routes.ts";
import { pricesHandlers } from "./prices/routes.ts";
import { pricingHandlers } from "./pricing/routes.ts";
import { redemptionsHandlers } from "./redemptions/routes.ts";
import { routingHandlers } from "./routing/routes.ts";
import { sessionsHandlers } from "./sessions/routes.ts";
import { setupHandlers } from "./setup/routes.ts";
import { systemHandlers } from "./system/routes.ts";
import { statusHandlers } from "./status/routes.ts";
import { imageLogHandlers, taskLogHandlers } from "../tasks/console/routes.ts";
import { tokensHandlers } from "./tokens/routes.ts";
import { usersHandlers } from "./users/routes.ts";
import { walletHandlers } from "./wallet/routes.ts";

export const CONSOLE_FEATURES: readonly FeatureHandlers[] = [
  setupHandlers,
  statusHandlers,
  systemHandlers,
  sessionsHandlers,
  identitiesHandlers,
  notificationsHandlers,
  optionsHandlers,
  tokensHandlers,
  redemptionsHandlers,
  usersHandlers,
  auditHandlers,
  healthHandlers,
  channelsHandlers,
  configurationHandlers,
  logsHandlers,
  dashboardHandlers,
  imageLogHandlers,
  taskLogHandlers,
  factorsHandlers,
  groupsHandlers,
  personalHandlers,
  playgroundHandlers,
  pricesHandlers,
  pricingHandlers,
  routingHandlers,
  walletHandlers,
];
